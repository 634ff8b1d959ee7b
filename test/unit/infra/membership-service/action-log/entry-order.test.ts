import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LoggedEntry } from '../../../../../infra/membership-service/action-log/entries.ts';
import {
  insert,
  shuffled,
  stretchOf,
  take,
  type Placed,
} from '../../../../../infra/membership-service/action-log/entry-order.ts';

const entryOf = (serial: number): LoggedEntry => ({
  serial,
  createdAt: 0,
  visibleAt: 0,
  stampedMicros: 0,
  actionKey: serial % 3 === 0 ? 'Third' : 'Other',
  organisationMembershipId: null,
  json: '{}',
});

function orderOf(keys: readonly number[]): Placed[] {
  const placed: Placed[] = [];
  keys.forEach((key, at) => insert(placed, { key, serial: at + 1, entry: entryOf(at + 1) }));
  return placed;
}

const keys = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 60 });
const accepts = (entry: LoggedEntry): boolean => entry.actionKey !== 'Third';

describe('an order of entries', () => {
  it('is by key, then by serial, independent of the order of addition', () => {
    fc.assert(
      fc.property(keys, (some) => {
        const expected = some.map((key, at) => [key, at + 1]).sort(([a, m], [b, n]) => a! - b! || m! - n!);

        expect(orderOf(some).map(({ key, serial }) => [key, serial])).toEqual(expected);
      }),
    );
  });

  it('is read completely, each entry once, upwards or downwards, for any bounds and page size', () => {
    const bound = fc.integer({ min: -1, max: 22 });
    fc.assert(
      fc.property(
        keys,
        bound,
        bound,
        fc.constantFrom(1 as const, -1 as const),
        fc.integer({ min: 1, max: 9 }),
        (some, from, to, step, limit) => {
          const placed = orderOf(some);
          const inside = placed.filter(({ key, entry }) => key >= from && key < to && accepts(entry));
          const read: Placed[] = [];

          for (let more = true; more;) {
            const stretch = stretchOf(placed, { from, to }, step);
            const page = take(stretch, { after: read.at(-1) ?? null, inclusive: false, limit, accepts });
            read.push(...page.taken);
            more = page.more;
          }

          expect(read).toEqual(step === 1 ? inside : inside.toReversed());
        },
      ),
    );
  });

  it.each([1, -1] as const)('starts a page at the place itself if it is inclusive, with step %i', (step) => {
    const placed = orderOf([5, 5, 5, 5]);
    const after = placed[1] as Placed;

    const { taken } = take(stretchOf(placed, { from: 0, to: 9 }, step), {
      after,
      inclusive: true,
      limit: 2,
      accepts: () => true,
    });

    expect(taken.map(({ serial }) => serial)).toEqual(step === 1 ? [2, 3] : [2, 1]);
  });

  it('has the same shuffle for the same number, and others for other numbers', () => {
    const placed = orderOf(Array.from({ length: 100 }, (_, at) => at));
    const serials = (shuffle: number): number[] => shuffled(placed, shuffle).map(({ serial }) => serial);

    expect(serials(1)).toEqual(serials(1));
    expect(serials(1)).not.toEqual(serials(2));
    expect(serials(2).toSorted((a, b) => a - b)).toEqual(placed.map(({ serial }) => serial));
  });
});
