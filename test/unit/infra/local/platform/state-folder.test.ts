import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openStateFolder, shownPath } from '../../../../../infra/local/platform/state-folder.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

let folder = '';
beforeEach(async () => void (folder = await temporaryFolder()));

const modeOf = (name: string): string => (statSync(join(folder, name)).mode & 0o7777).toString(8);

describe('state folder', () => {
  test('keeps its state from one run to the next', () => {
    const first = openStateFolder(folder, { fresh: false });
    first.remember({ port: 1, startFrom: 'now' });
    first.remember({ port: 2 });
    first.release();

    const second = openStateFolder(folder, { fresh: false });

    expect(second.remembered).toEqual({ port: 2, startFrom: 'now' });
  });

  test('keeps what it remembers whole while it remembers more, should it be killed then', () => {
    const { remember } = openStateFolder(folder, { fresh: false });
    remember({ port: 1 });
    linkSync(join(folder, 'run.json'), join(folder, 'before'));

    remember({ port: 2 });

    expect(readFileSync(join(folder, 'before'), 'utf8')).toBe('{"port":1}');
  });

  test('deletes its state if it is to be fresh, and nothing else', () => {
    const first = openStateFolder(folder, { fresh: false });
    first.remember({ port: 1 });
    for (const file of [first.serviceFile, first.secretsFile]) appendFileSync(file, 'x');
    first.release();
    writeFileSync(join(folder, 'thesis.txt'), 'mine');

    const second = openStateFolder(folder, { fresh: true });

    expect(second.remembered).toEqual({});
    expect(existsSync(second.serviceFile)).toBe(false);
    expect(readdirSync(folder)).toEqual(['lock', 'thesis.txt']);
  });

  test.each([
    ['table', 'folder'],
    ['logs', 'folder'],
    ['events.ndjson', 'file'],
  ])('says that %s is not the %s that belongs there', (name, kind) => {
    if (kind === 'folder') writeFileSync(join(folder, name), 'x');
    else mkdirSync(join(folder, name));

    expect(() => openStateFolder(folder, { fresh: false })).toThrow(
      `${join(folder, name)} is not the ${kind} that npm start keeps there. Move it away, or start once with --fresh`,
    );
  });

  test('and the state of earlier versions in it belong to their owner only', () => {
    mkdirSync(join(folder, 'buckets/audit'), { recursive: true });
    const written = ['outbox.ndjson', 'buckets/audit/a.gz', 'thesis.txt'].map((name) => join(folder, name));
    for (const file of written) writeFileSync(file, 'x');
    for (const path of [folder, join(folder, 'buckets'), join(folder, 'buckets/audit')]) chmodSync(path, 0o755);
    for (const file of written) chmodSync(file, 0o644);
    symlinkSync(join(folder, 'thesis.txt'), join(folder, 'buckets/link'));

    openStateFolder(folder, { fresh: false });

    expect(['.', 'buckets', 'buckets/audit', 'buckets/audit/a.gz', 'outbox.ndjson', 'thesis.txt'].map(modeOf)).toEqual([
      '700',
      '700',
      '700',
      '600',
      '600',
      '644',
    ]);
  });

  test('is not one that the users of the machine share', () => {
    chmodSync(folder, 0o1777);

    expect(() => openStateFolder(folder, { fresh: false })).toThrow(
      `${folder} is shared by the users of this machine. Choose a folder of your own with --state.`,
    );
    expect([modeOf('.'), readdirSync(folder)]).toEqual(['1777', []]);
  });

  test('says what to do if its state cannot be read', () => {
    writeFileSync(join(folder, 'run.json'), '{');

    expect(() => openStateFolder(folder, { fresh: false })).toThrow(/--fresh/);
  });
});

test.each([
  ['/home/ada/bridge/.local', '/home/ada/bridge', '.local'],
  ['/var/state', '/home/ada/bridge', '/var/state'],
  ['/home/ada/bridge', '/home/ada/bridge', '/home/ada/bridge'],
])('shows %s, seen from %s, as %s', (path, from, shown) => {
  expect(shownPath(path, from)).toBe(shown);
});
