// The commands of docs/audit-format.md, taken out of it and run by a shell on a copy in a folder.
import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { manifestKey, oversizeKey } from '../../../functions/audit/bucket-layout.ts';
import { documentBlocks } from '../../support/document-blocks.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import {
  aCopy,
  type ACopy,
  anEvent,
  anOversizeEvent,
  chain,
  check,
  checkpointKey,
  DAYS,
  edit,
  eventsKey,
  keepWhole,
  put,
  SOURCE,
} from '../../unit/operator/audit/a-copy.ts';

const SCRIPT = documentBlocks('docs/audit-format.md', 'sh')
  .map(({ text }) => text)
  .join('\n');
const [FIRST, EMPTY, THIRD] = DAYS;

/** An entry that every jq writes as it came. */
const plainEntry = (day: string, number: number) => ({
  json: `{"id":${number},"createdOn":"${day}T10:00:00Z","actionKey":"ContactUpdated","name":"Ünal \\"A\\"","tags":["b","a"],"amount":1.5}`,
  at: `${day}T10:00:00Z`,
});
const plain = (day: string, number: number) => anEvent(day, number, plainEntry(day, number));
const large = anOversizeEvent(THIRD, 70, plainEntry(THIRD, 70));
const events = [...[1, 2, 3].map((number) => plain(FIRST, number)), plain(THIRD, 4), large, plain('2026-11-19', 5)];
const [one, two] = events as [(typeof events)[0], (typeof events)[0]];

/** A copy with everything that one can have: a late entry, one in quarantine, one too large for the bus. */
function wholeCopy(): ACopy {
  const copy = aCopy({ events, late: [plain(EMPTY, 6)], quarantined: [plain(FIRST, 7)] });
  keepWhole(copy, large);
  return copy;
}

/** What the script prints, line by line. */
async function recompute(copy: ACopy): Promise<string[]> {
  const folder = await temporaryFolder();
  for (const [key, text] of copy.objects) {
    await mkdir(dirname(join(folder, key)), { recursive: true });
    await writeFile(join(folder, key), gzipSync(text));
  }
  const env = { PATH: process.env['PATH'], TMPDIR: folder };
  const { stdout, stderr, status } = spawnSync('sh', ['-eu'], { cwd: folder, input: SCRIPT, env, encoding: 'utf8' });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return stdout.split('\n').filter((line) => line !== '');
}

const ends = ({ head }: ACopy): string => `The chain ends with ${head.number}:${head.sha256}`;

beforeAll(() => {
  const { error } = spawnSync('jq', ['--version']);
  if (error !== undefined)
    throw new Error(
      'jq is not installed, and docs/audit-format.md is written for it. Install it: apt-get install -y jq',
      {
        cause: error,
      },
    );
});

describe('the commands of docs/audit-format.md', () => {
  it('recompute a whole copy: they print its head and find nothing, as audit verify does (D17)', async () => {
    const copy = wholeCopy();

    expect(await recompute(copy)).toEqual([ends(copy)]);
    expect((await check(copy)).findings).toEqual([]);
  });

  it('find nothing in a copy of which no day is sealed yet', async () => {
    const copy: ACopy = { objects: new Map(), checkpoints: [], head: { number: 0, sha256: '' } };
    chain(copy, { kind: 'begin' });
    put(copy, 'events/open.gz', [one.line]);

    expect(await recompute(copy)).toEqual([ends(copy)]);
  });

  it('name a line that is missing, one that was added, and both whose contents were exchanged (D17)', async () => {
    const copy = wholeCopy();
    const added = plain(EMPTY, 8);
    edit(copy, eventsKey(FIRST), (lines) => lines.slice(1));
    edit(copy, eventsKey(THIRD), (lines) => [...lines, added.line]);

    expect(await recompute(copy)).toEqual([
      ends(copy),
      `MISSING ${one.id} ${one.sha256}`,
      `ADDED or ALTERED ${added.id} ${added.sha256}`,
    ]);

    const exchanged = wholeCopy();
    edit(exchanged, eventsKey(FIRST), ([a = '', b = '', ...rest]) => [
      a.replace('"id":1,', '"id":2,'),
      b.replace('"id":2,', '"id":1,'),
      ...rest,
    ]);

    expect(await recompute(exchanged)).toEqual([ends(exchanged), `ALTERED ${one.id}`, `ALTERED ${two.id}`]);
  });

  it('name a checkpoint that was dropped, and one that was altered (D17)', async () => {
    const [dropped, altered] = [wholeCopy(), wholeCopy()];
    dropped.objects.delete(checkpointKey(3));
    edit(altered, checkpointKey(2), ([line = '']) => [line.replace('"quarantined":1', '"quarantined":0')]);

    expect(await recompute(dropped)).toContain('BROKEN at checkpoint 4');
    expect(await recompute(altered)).toContain('BROKEN at checkpoint 3');
  });

  it('print another head where the last checkpoint was dropped (D17)', async () => {
    const copy = wholeCopy();
    copy.objects.delete(checkpointKey(5));

    const printed = await recompute(copy);

    expect(printed).not.toContain(ends(copy));
    expect(printed).toContain(`WITHOUT A CHECKPOINT ${manifestKey(SOURCE, EMPTY, 1)}`);
  });

  it('name a manifest that is altered, one that is missing, and one without a checkpoint', async () => {
    const copy = wholeCopy();
    edit(copy, manifestKey(SOURCE, FIRST, 0), (lines) => lines.slice(1));
    copy.objects.delete(manifestKey(SOURCE, THIRD, 0));
    copy.objects.set(manifestKey(SOURCE, THIRD, 9), '');

    const printed = await recompute(copy);

    expect(printed).toContain(`ALTERED or MISSING ${manifestKey(SOURCE, FIRST, 0)}`);
    expect(printed).toContain(`ALTERED or MISSING ${manifestKey(SOURCE, THIRD, 0)}`);
    expect(printed).toContain(`WITHOUT A CHECKPOINT ${manifestKey(SOURCE, THIRD, 9)}`);
  });

  it('name the object of an entry too large for the bus where it is missing or altered', async () => {
    const [missing, altered] = [wholeCopy(), wholeCopy()];
    missing.objects.delete(oversizeKey(SOURCE, large.id));
    altered.objects.set(oversizeKey(SOURCE, large.id), large.object.replace('"tags":["b"', '"tags":["c"'));
    const finding = `ALTERED or MISSING ${oversizeKey(SOURCE, large.id)}`;

    expect(await recompute(missing)).toEqual([ends(missing), finding]);
    expect(await recompute(altered)).toEqual([ends(altered), finding]);
  });

  it('call no entry altered that jq itself rewrites, and name it', async () => {
    const [odd, oddAndLarge] = [anEvent(FIRST, 9), anOversizeEvent(THIRD, 10)];
    const copy = aCopy({ events: [odd, oddAndLarge] });
    keepWhole(copy, oddAndLarge);

    expect(await recompute(copy)).toEqual([ends(copy), `NOT FOR JQ ${odd.id}`, `NOT FOR JQ ${oddAndLarge.id}`]);
  });
});
