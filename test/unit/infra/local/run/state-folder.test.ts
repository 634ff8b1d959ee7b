import { appendFileSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openStateFolder, shownPath } from '../../../../../infra/local/run/state-folder.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'membership-event-bridge-'));
  return () => rmSync(folder, { recursive: true, force: true });
});

describe('state folder', () => {
  test('keeps its state from one run to the next', () => {
    const first = openStateFolder(folder, { fresh: false });
    first.remember({ port: 1, startFrom: 'now' });
    first.remember({ port: 2 });
    first.release();

    const second = openStateFolder(folder, { fresh: false });

    expect(second.remembered).toEqual({ port: 2, startFrom: 'now' });
  });

  test('deletes its state if it is to be fresh, and nothing else', () => {
    const first = openStateFolder(folder, { fresh: false });
    first.remember({ port: 1 });
    appendFileSync(first.serviceFile, 'x');
    first.release();
    writeFileSync(join(folder, 'thesis.txt'), 'mine');

    const second = openStateFolder(folder, { fresh: true });

    expect(second.remembered).toEqual({});
    expect(existsSync(second.serviceFile)).toBe(false);
    expect(readdirSync(folder)).toEqual(['lock', 'thesis.txt']);
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
