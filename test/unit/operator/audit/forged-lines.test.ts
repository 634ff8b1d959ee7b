// Alterations of a copy that leave every hash as it is: what is not hashed is computed again from what is.
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { manifestKey, oversizeKey } from '../../../../functions/audit/bucket-layout.ts';
import {
  aCopy,
  type ACopy,
  anOversizeEvent,
  check,
  checkpointKey,
  DAYS,
  edit,
  eventsKey,
  findingsOf,
  keepWhole,
  opened,
  ordinaryEvents,
  SOURCE,
} from './a-copy.ts';

const [FIRST, , THIRD] = DAYS;
const [one] = ordinaryEvents() as [ReturnType<typeof ordinaryEvents>[0]];

/** A copy whose first line is altered. */
function altered(alter: (line: string) => string): ACopy {
  const copy = aCopy();
  edit(copy, eventsKey(FIRST), ([first = '', ...rest]) => {
    expect(alter(first)).not.toBe(first);
    return [alter(first), ...rest];
  });
  return copy;
}

describe('verify', () => {
  it.each([
    ['in the entry', (line: string) => line.replace('"amount":1.50', '"amount":9.99,"amount":1.50')],
    ['in the entry, escaped', (line: string) => line.replace('"amount":1.50', '"\\u0061mount":9.99,"amount":1.50')],
    ['in the entry, nested', (line: string) => line.replace('"note":', '"log":{"a":[{"b":1,"b":2}]},"note":')],
    ['in the metadata', (line: string) => line.replace('"actionKey":', '"actionKey":"ContactDeleted","actionKey":')],
    ['in the detail', (line: string) => line.replace('"data":', '"data":{},"data":')],
    ['in the envelope', (line: string) => line.replace('"source":', '"source":"other","source":')],
  ])('names a line with a key twice %s (D32)', async (_where, alter) => {
    const result = await check(altered(alter));

    expect(result.findings).toContainEqual(
      expect.objectContaining({
        kind: 'line-unreadable',
        name: `line 1 of ${eventsKey(FIRST)}`,
        how: expect.stringMatching(/^has the key "\w+" twice/) as string,
      }),
    );
  });

  it('accepts keys that JSON.parse sorts, and the same key in two objects (D32)', async () => {
    const copy = altered((line) => line.replace(/^\{/, '{"10":{"a":1},"9":{"a":1},'));

    expect(findingsOf(await check(copy)).filter((text) => text.startsWith('line-unreadable'))).toEqual([]);
  });

  it('names a checkpoint and a whole entry with a key twice (D32)', async () => {
    const large = anOversizeEvent(THIRD, 70);
    const copy = aCopy({ events: [...ordinaryEvents(), large] });
    keepWhole(copy, { ...large, object: large.object.replace('"data":', '"data":{"id":1},"data":') });
    edit(copy, checkpointKey(2), ([line = '']) => [line.replace('"entries":3', '"entries":9,"entries":3')]);

    expect(findingsOf(await check(copy))).toEqual([
      'checkpoint-missing checkpoint 2',
      `line-unreadable line 1 of ${checkpointKey(2)}`,
      `whole-entry-altered ${large.id}`,
    ]);
  });

  it.each([
    ['padding', Buffer.alloc(16)],
    ['padding and another member', Buffer.concat([Buffer.alloc(16), gzipSync(`${one.line}\n`)])],
  ])(
    'names an object with %s after its gzip members, of lines, a manifest or a whole entry (D32)',
    async (_what, after) => {
      const large = anOversizeEvent(THIRD, 70);
      const copy = aCopy({ events: [...ordinaryEvents(), large] });
      keepWhole(copy, large);
      const keys = [eventsKey(FIRST), manifestKey(SOURCE, FIRST, 0), oversizeKey(SOURCE, large.id)];
      const damaged = new Map(
        keys.map((key) => [key, Buffer.concat([gzipSync(copy.objects.get(key) ?? ''), after])] as const),
      );

      expect(findingsOf(await check(copy, { copy: opened(copy, damaged) }))).toEqual([
        `manifest-altered ${manifestKey(SOURCE, FIRST, 0)}`,
        `object-unreadable ${eventsKey(FIRST)}`,
        `whole-entry-altered ${large.id}`,
      ]);
    },
  );
});
