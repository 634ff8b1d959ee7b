import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { identifyPage, type IdentifiedEntry } from '../../../functions/poller/entry-identity.ts';
import { bucketRanges, createLedgerView, missingRanges, type Range } from '../../../functions/poller/ledger-view.ts';
import type { Ledger, LedgerRecord } from '../../../functions/source/ports.ts';
import { DAY, fakeClock, HOUR, identified, MINUTE, NOW } from './builders.ts';

/** A ledger in memory that keeps what was asked of it. */
function fakeLedger(now: () => number, kept: LedgerRecord[] = []) {
  const calls: (Range | 'unstamped' | { appended: number })[] = [];
  const ledger: Ledger = {
    read: async (_source, range) => {
      await Promise.resolve();
      calls.push(range);
      const isWanted = ({ bucket }: LedgerRecord): boolean =>
        range === 'unstamped' ? bucket === null : bucket !== null && bucket >= range.from && bucket <= range.to;
      return kept.filter((record) => record.expiresAt > now() && isWanted(record));
    },
    append: async (_source, records) => {
      await Promise.resolve();
      calls.push({ appended: records.length });
      kept.push(...records);
    },
  };
  return { ledger, calls, kept };
}

function viewOf(kept: LedgerRecord[] = []) {
  const clock = fakeClock();
  const now = (): number => clock.now();
  const fake = fakeLedger(now, kept);
  const open = () => createLedgerView({ ledger: fake.ledger, sourceId: 'acme', now });
  return { ...fake, clock, open, view: open() };
}

const stampedAt = (...instants: number[]): IdentifiedEntry[] =>
  identified(...instants.map((at) => ({ id: String(at), at: new Date(at).toISOString() })));
const unstamped = (...ids: string[]): IdentifiedEntry[] => identified(...ids.map((id) => ({ id, at: null })));
const bucket = (at: number): number => Math.floor(at / (5 * MINUTE));

describe('what the ledger knows', () => {
  it('is known in the same run and in the next one', async () => {
    const { view, open } = viewOf();
    const entries = stampedAt(NOW, NOW + 1);

    await view.append(entries);
    const next = open();
    await next.load(entries, false);

    for (const { id } of entries) expect([view.find(id)?.id, next.find(id)?.id]).toEqual([id, id]);
    expect(view.find('another')).toBeNull();
  });

  it('holds the check of the content, the bucket, and 14 days from now or from the stamp, whichever is later', async () => {
    const { view, kept } = viewOf();
    const [past, future, never] = [...stampedAt(NOW - DAY, NOW + 30 * DAY), ...unstamped('x')];

    await view.append([past, future, never] as IdentifiedEntry[]);

    expect(kept).toEqual([
      { id: past?.id, check: past?.sha256.slice(0, 8), bucket: bucket(NOW - DAY), expiresAt: NOW + 14 * DAY },
      { id: future?.id, check: future?.sha256.slice(0, 8), bucket: bucket(NOW + 30 * DAY), expiresAt: NOW + 44 * DAY },
      { id: never?.id, check: never?.sha256.slice(0, 8), bucket: null, expiresAt: NOW + 14 * DAY },
    ]);
  });

  it('is not written for nothing', async () => {
    const { view, calls } = viewOf();

    await view.append([]);
    await view.renew(stampedAt(NOW));

    expect(calls).toEqual([]);
  });

  it('is the record that lives longest where an entry was written down twice', async () => {
    const [entry] = stampedAt(NOW) as [IdentifiedEntry];
    const record = { id: entry.id, check: '00000000', bucket: entry.bucket };
    const { view } = viewOf([
      { ...record, expiresAt: NOW + 1 * DAY },
      { ...record, expiresAt: NOW + 9 * DAY },
      { ...record, expiresAt: NOW + 5 * DAY },
    ]);

    await view.load([entry], false);

    expect(view.find(entry.id)?.expiresAt).toBe(NOW + 9 * DAY);
  });
});

describe('loading a page', () => {
  it('reads the buckets of its entries as one range', async () => {
    const { view, calls } = viewOf();

    await view.load(stampedAt(NOW + HOUR, NOW, NOW + 2 * HOUR), false);

    expect(calls).toEqual([{ from: bucket(NOW), to: bucket(NOW + 2 * HOUR) }]);
  });

  it('reads no bucket twice in a run', async () => {
    const { view, calls } = viewOf();

    await view.load(stampedAt(NOW, NOW + HOUR), false);
    await view.load(stampedAt(NOW, NOW + HOUR), false);
    await view.load(stampedAt(NOW - HOUR, NOW + 2 * HOUR), false);

    expect(calls.slice(1)).toEqual([
      { from: bucket(NOW - HOUR), to: bucket(NOW) - 1 },
      { from: bucket(NOW + HOUR) + 1, to: bucket(NOW + 2 * HOUR) },
    ]);
  });

  it('reads stamps far apart as ranges of their own, so that one odd stamp does not read the whole ledger', async () => {
    const { view, calls } = viewOf();

    await view.load(stampedAt(NOW, NOW - 400 * DAY), false);

    expect(calls).toEqual([
      { from: bucket(NOW - 400 * DAY), to: bucket(NOW - 400 * DAY) },
      { from: bucket(NOW), to: bucket(NOW) },
    ]);
  });

  it('reads nothing for an empty page', async () => {
    const { view, calls } = viewOf();

    await view.load([], false);

    expect(calls).toEqual([]);
  });

  it.each<[string, IdentifiedEntry[], boolean]>([
    ['an entry of the page has none', [...unstamped('x'), ...stampedAt(NOW)], false],
    ['some entry ever had none', stampedAt(NOW), true],
  ])('reads the entries without a usable stamp once where %s (S25)', async (_name, entries, flag) => {
    const { view, calls } = viewOf();

    await view.load(entries, flag);
    await view.load(entries, flag);

    expect(calls).toEqual([{ from: bucket(NOW), to: bucket(NOW) }, 'unstamped']);
  });

  it('keeps what it wrote itself, whatever it loads after', async () => {
    const { view } = viewOf();
    const entries = stampedAt(NOW);

    await view.append(entries);
    await view.load(stampedAt(NOW - 5 * HOUR, NOW + 5 * HOUR), false);

    expect(view.find((entries[0] as IdentifiedEntry).id)).not.toBeNull();
  });

  it('forgets what it read when that is too much, and reads it again (S52)', async () => {
    const many = Array.from({ length: 150_001 }, (_, index) => ({
      id: `id ${index}`,
      check: '00000000',
      bucket: bucket(NOW),
      expiresAt: NOW + DAY,
    }));
    const { view, calls } = viewOf(many);

    await view.load(stampedAt(NOW), true);
    await view.load(stampedAt(NOW + HOUR), true);
    const forgotten = view.find('id 7');
    await view.load(stampedAt(NOW), true);

    expect(forgotten).toBeNull();
    expect(view.find('id 7')).not.toBeNull();
    expect(calls.filter((call) => call !== 'unstamped')).toHaveLength(3);
    expect(calls.filter((call) => call === 'unstamped')).toHaveLength(2);
  });

  it('then knows of each of its entries what the ledger knows, for any pages in any order', async () => {
    const times = fc.integer({ min: -2_000, max: 2_000 }).map((buckets) => NOW + buckets * 5 * MINUTE);
    const page = fc.array(fc.oneof(times, fc.constant(null)), { maxLength: 6 });
    const steps = fc.array(fc.record({ page, append: fc.boolean() }), { maxLength: 12 });

    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.array(fc.oneof(times, fc.constant(null)), { maxLength: 20 }),
        async (pages, before) => {
          const toEntries = (stamps: readonly (number | null)[]): IdentifiedEntry[] =>
            identified(
              ...stamps.map((at) => ({ id: String(at), at: at === null ? null : new Date(at).toISOString() })),
            );
          const known = new Set(toEntries(before).map(({ id }) => id));
          const { view, open } = viewOf();
          await open().append(toEntries(before));

          for (const step of pages) {
            const entries = toEntries(step.page);
            await view.load(entries, false);
            for (const { id } of entries) expect(view.find(id) !== null).toBe(known.has(id));
            if (!step.append) continue;
            await view.append(entries);
            for (const { id } of entries) known.add(id);
          }
        },
      ),
    );
  });
});

describe('an entry that is still returned (L7)', () => {
  const recordOf = (entry: IdentifiedEntry, id: string, expiresAt: number): LedgerRecord => ({
    id,
    check: entry.sha256.slice(0, 8),
    bucket: entry.bucket,
    expiresAt,
  });

  it.each([
    [7 * DAY - 1, 1],
    [1, 1],
    [7 * DAY, 0],
    [13 * DAY, 0],
  ])('is written down again in the last seven days of its record: %i ms before its end', async (left, appended) => {
    const entries = stampedAt(NOW - 20 * DAY);
    const [entry] = entries as [IdentifiedEntry];
    const { view, kept } = viewOf([recordOf(entry, entry.id, NOW + left)]);

    await view.load(entries, false);
    await view.renew(entries);

    expect(kept).toHaveLength(1 + appended);
    expect(kept.at(-1)?.expiresAt).toBe(appended === 1 ? NOW + 14 * DAY : NOW + left);
  });

  it('is written down once in a run', async () => {
    const entries = stampedAt(NOW);
    const [entry] = entries as [IdentifiedEntry];
    const { view, kept } = viewOf([recordOf(entry, entry.id, NOW + DAY)]);

    await view.load(entries, false);
    await view.renew(entries);
    await view.renew(entries);

    expect(kept).toHaveLength(2);
  });

  it('is never forgotten while it is read more often than every seven days', async () => {
    const { open, clock } = viewOf();
    const entries = stampedAt(NOW);
    await open().append(entries);

    for (let read = 0; read < 20; read += 1) {
      clock.advance(7 * DAY - 1);
      const view = open();
      await view.load(entries, false);
      expect(view.find((entries[0] as IdentifiedEntry).id)).not.toBeNull();
      await view.renew(entries);
    }
  });

  it('is written down again under its own identity where only the id of a refuted field knows it', async () => {
    const refuted = { sourceId: 'acme', idField: null, refutedIdField: '/id', timeField: '/at', timeZone: 'UTC' };
    const entries = identifyPage([{ id: 'a', at: new Date(NOW).toISOString() }], refuted);
    const [entry] = entries as [IdentifiedEntry];
    const { view, kept } = viewOf([recordOf(entry, entry.formerId as string, NOW + DAY)]);

    await view.load(entries, false);
    await view.renew(entries);

    expect(kept.at(-1)).toEqual(recordOf(entry, entry.id, NOW + 14 * DAY));
  });
});

describe('the ranges of some buckets', () => {
  const rangesOf = (...buckets: (number | null)[]) => bucketRanges(buckets.map((at) => ({ bucket: at })));

  it.each<[string, (number | null)[], Range[]]>([
    ['none', [], []],
    ['none with a stamp', [null, null], []],
    ['one', [7], [{ from: 7, to: 7 }]],
    ['near ones in any order', [9, 7, null, 8, 7], [{ from: 7, to: 9 }]],
    ['two days apart', [0, 576], [{ from: 0, to: 576 }]],
    [
      'more than two days apart',
      [0, 577],
      [
        { from: 0, to: 0 },
        { from: 577, to: 577 },
      ],
    ],
    [
      'before 1970',
      [-5, -600],
      [
        { from: -600, to: -600 },
        { from: -5, to: -5 },
      ],
    ],
  ])('are few: %s', (_name, buckets, ranges) => {
    expect(rangesOf(...buckets)).toEqual(ranges);
  });

  it('hold every bucket, and no hole of more than two days', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -5_000, max: 5_000 })), (buckets) => {
        const ranges = rangesOf(...buckets);

        for (const at of buckets) expect(ranges.some(({ from, to }) => at >= from && at <= to)).toBe(true);
        for (const [index, { from }] of ranges.slice(1).entries())
          expect(from - (ranges[index] as Range).to).toBeGreaterThan(576);
      }),
    );
  });
});

describe('what is still to be read', () => {
  const range = fc.tuple(fc.nat(30), fc.nat(30)).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));
  const holds = (ranges: readonly Range[], at: number): boolean =>
    ranges.some(({ from, to }) => at >= from && at <= to);

  it.each<[string, Range[], Range[], Range[]]>([
    ['nothing is read yet', [{ from: 1, to: 5 }], [], [{ from: 1, to: 5 }]],
    ['all is read', [{ from: 2, to: 4 }], [{ from: 1, to: 5 }], []],
    ['the very same is read', [{ from: 1, to: 5 }], [{ from: 1, to: 5 }], []],
    [
      'the middle is read',
      [{ from: 1, to: 5 }],
      [{ from: 3, to: 3 }],
      [
        { from: 1, to: 2 },
        { from: 4, to: 5 },
      ],
    ],
    ['the start is read', [{ from: 1, to: 5 }], [{ from: 0, to: 2 }], [{ from: 3, to: 5 }]],
    ['the end is read', [{ from: 1, to: 5 }], [{ from: 5, to: 9 }], [{ from: 1, to: 4 }]],
    [
      'the neighbours are read',
      [{ from: 3, to: 3 }],
      [
        { from: 1, to: 2 },
        { from: 4, to: 9 },
      ],
      [{ from: 3, to: 3 }],
    ],
  ])('is, where %s', (_name, wanted, loaded, missing) => {
    expect(missingRanges(wanted, loaded)).toEqual(missing);
  });

  it('is exactly what is wanted and not read', () => {
    fc.assert(
      fc.property(fc.array(range, { maxLength: 4 }), fc.array(range, { maxLength: 6 }), (wanted, loaded) => {
        const missing = missingRanges(wanted, loaded);

        for (let at = 0; at <= 30; at += 1) expect(holds(missing, at)).toBe(holds(wanted, at) && !holds(loaded, at));
      }),
    );
  });
});
