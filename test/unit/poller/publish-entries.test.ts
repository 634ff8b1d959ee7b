import { describe, expect, it } from 'vitest';
import type { BridgeEvent } from '../../../functions/events/event.ts';
import { OutOfTime } from '../../../functions/poller/deadline.ts';
import type { IdentifiedEntry } from '../../../functions/poller/entry-identity.ts';
import type { PublishOutcome, QuarantinedEntry, TrailRecord } from '../../../functions/source/ports.ts';
import { MOST_UNWRITTEN, publishEntries, type NewEntry } from '../../../functions/poller/publish-entries.ts';
import type { Run } from '../../../functions/poller/run.ts';
import { parseJson, scalarText, valueAt, type JsonObject } from '../../../functions/shared/json.ts';
import { BridgeError } from '../../../functions/shared/errors.ts';
import { fakeClock, fakeLog, identified, NOW, settingsOf } from './builders.ts';

const DEADLINE = NOW + 52_000;
const failedOutcome: PublishOutcome = { status: 'failed', code: 'InternalFailure', message: 'try later' };
const refusedOutcome: PublishOutcome = { status: 'refused', code: 'MalformedDetail', message: 'not JSON' };

type Scene = {
  /** What becomes of an event, by its entry's id. */
  outcomes?: Record<string, PublishOutcome>;
  maxEntryBytes?: number;
  /** Ports that fail, by the name of the step. */
  failing?: 'publish' | 'append' | 'quarantine' | 'notice' | 'trail';
  /** Whether an audit trail is kept. */
  audited?: boolean;
  /** Whether the run's time is over once that many events are published. */
  isOver?: (published: number) => boolean;
};

/** A run whose ports write down what is asked of them, in order. */
function sceneOf({
  outcomes = {},
  maxEntryBytes = 1_000_000,
  failing,
  audited = false,
  isOver = () => false,
}: Scene = {}) {
  const steps: string[] = [];
  const events: BridgeEvent[] = [];
  const quarantined: QuarantinedEntry[] = [];
  const inLedger: string[] = [];
  const inTrail: TrailRecord[] = [];
  const step = async (name: string, detail: string): Promise<void> => {
    await Promise.resolve();
    steps.push(`${name} ${detail}`);
    if (failing === name) throw new BridgeError('StateUnavailable', name, { retryable: true });
  };
  const nameOf = ({ detail }: BridgeEvent): string =>
    scalarText(valueAt(parseJson(detail), '/data/id')) ?? 'without data';
  const run = {
    settings: settingsOf(),
    clock: fakeClock(),
    log: fakeLog(),
    requestId: 'request',
    traceHeader: 'trace',
    deadline: { at: DEADLINE - 1_500, publishAt: DEADLINE, isOver: () => isOver(events.length) },
    counts: {
      entriesRead: 0,
      eventsPublished: 0,
      duplicatesSuppressed: 0,
      quarantined: 0,
      late: 0,
      futureDated: 0,
      baseline: 0,
    },
    bus: {
      maxEntryBytes,
      sizeOf: ({ detail }: BridgeEvent) => detail.length,
      publish: async (batch: readonly BridgeEvent[], options: { deadlineAt: number; traceHeader?: string }) => {
        await step('publish', batch.map(nameOf).join());
        expect(options).toEqual({ deadlineAt: DEADLINE, traceHeader: 'trace' });
        events.push(...batch);
        return batch.map((event) => outcomes[nameOf(event)] ?? { status: 'accepted' });
      },
    },
    ledger: {
      append: async (entries: readonly IdentifiedEntry[]) => {
        if (entries.length === 0) return;
        const names = entries.map(({ entry }) => scalarText(entry['id']) ?? '');
        await step('append', names.join());
        inLedger.push(...names);
      },
    },
    quarantine: {
      keep: async (entry: QuarantinedEntry) => {
        await step('quarantine', scalarText(valueAt(parseJson(entry.entry), '/id')) ?? '');
        quarantined.push(entry);
      },
    },
    auditTrail: audited
      ? {
          append: async (_sourceId: string, records: readonly TrailRecord[]) => {
            await step('trail', String(records.length));
            inTrail.push(...records);
          },
        }
      : null,
    notices: { give: async (type: string, key: string) => await step('notice', `${type} ${key}`) },
  };
  return { run: run as unknown as Run, steps, events, quarantined, inLedger, inTrail, log: run.log };
}

function newEntries(...entries: JsonObject[]): NewEntry[] {
  return identified(...entries).map((entry) => ({ entry, late: false, backfillId: null }));
}

const named = (...ids: string[]): NewEntry[] => newEntries(...ids.map((id) => ({ id })));
const many = (count: number): NewEntry[] => named(...Array.from({ length: count }, (_, index) => `e${index}`));

describe('publishing entries', () => {
  it('publishes them in the order given and then writes them down as accepted (S01)', async () => {
    const { run, steps } = sceneOf();

    await publishEntries(run, named('b', 'a', 'c'));

    expect(steps).toEqual(['publish b,a,c', 'append b,a,c']);
    expect(run.counts.eventsPublished).toBe(3);
  });

  it('counts those that are stamped more than ten minutes ahead of the clock (S04)', async () => {
    const { run } = sceneOf();
    const minutesAhead = (minutes: number): string => new Date(run.clock.now() + minutes * 60_000).toISOString();
    const dated = newEntries(
      ...[-60, 0, 10, 11, 1_080].map((minutes) => ({ id: `${minutes}`, at: minutesAhead(minutes) })),
      { id: 'undated' },
    );

    await publishEntries(run, dated);

    expect(run.counts).toMatchObject({ eventsPublished: 6, futureDated: 2 });
  });

  it('never has more than a hundred with the bus that are not written down, so that a crash doubles no more (S45)', async () => {
    const { run, steps } = sceneOf();

    await publishEntries(run, many(250));

    const unwritten = { now: 0, most: 0 };
    for (const line of steps) {
      unwritten.now += line.split(',').length * (line.startsWith('publish') ? 1 : -1);
      unwritten.most = Math.max(unwritten.most, unwritten.now);
    }
    expect(unwritten).toEqual({ now: 0, most: 100 });
    expect(MOST_UNWRITTEN).toBe(100);
  });

  it('has two groups on their way, so that one is published while the other is written down', async () => {
    const { run, steps } = sceneOf();

    await publishEntries(run, many(150));

    expect(steps.map((line) => line.split(' ')[0])).toEqual([
      'publish',
      'publish',
      'append',
      'append',
      'publish',
      'append',
    ]);
  });

  it('does nothing for no entries', async () => {
    const { run, steps } = sceneOf();

    await publishEntries(run, []);

    expect(steps).toEqual([]);
  });

  it('carries lateness and backfill into the events, and counts the late ones', async () => {
    const { run, events } = sceneOf();
    const [first, second] = named('a', 'b') as [NewEntry, NewEntry];

    await publishEntries(run, [
      { ...first, late: true },
      { ...second, backfillId: 'start' },
    ]);

    const metadata = events.map(({ detail }) => (JSON.parse(detail) as { metadata: object }).metadata);
    expect(metadata).toMatchObject([
      { late: true, backfillId: null, requestId: 'request', observedAt: '2026-11-20T12:00:00.000Z' },
      { late: false, backfillId: 'start' },
    ]);
    expect(run.counts.late).toBe(1);
  });
});

describe('a bus that fails', () => {
  it('as a whole leaves nothing in the ledger (S01, S47)', async () => {
    const { run, steps, inLedger } = sceneOf({ failing: 'publish' });

    await expect(publishEntries(run, many(150))).rejects.toThrow('publish');

    expect([steps.length, inLedger]).toEqual([2, []]);
  });

  it('for some of the entries has the others in the ledger, and the run fails (S40)', async () => {
    const { run, inLedger } = sceneOf({ outcomes: { b: failedOutcome, d: failedOutcome } });

    const publishing = publishEntries(run, named('a', 'b', 'c', 'd'));

    await expect(publishing).rejects.toMatchObject({
      code: 'PublishFailed',
      retryable: true,
      details: { failed: 2, of: 4, busCode: 'InternalFailure' },
    });
    expect(inLedger).toEqual(['a', 'c']);
    expect(run.counts).toMatchObject({ eventsPublished: 2, quarantined: 0 });
  });

  it('for one of the entries ends the run with the groups under way: what was taken of them is in the ledger, and no other is published', async () => {
    const { run, events, inLedger } = sceneOf({ outcomes: { e49: failedOutcome } });

    await expect(publishEntries(run, many(250))).rejects.toMatchObject({ code: 'PublishFailed' });

    expect(events).toHaveLength(100);
    expect(inLedger).toHaveLength(99);
  });

  it('counts no entry as late that it did not take', async () => {
    const { run } = sceneOf({ outcomes: { a: failedOutcome } });

    await expect(
      publishEntries(
        run,
        named('a', 'b').map((item) => ({ ...item, late: true })),
      ),
    ).rejects.toThrow();

    expect(run.counts.late).toBe(1);
  });

  it('or does not tell of every entry what became of it, ends the run: none may be passed over in silence', async () => {
    const { run, inLedger } = sceneOf();
    const forgetful: Run = { ...run, bus: { ...run.bus, publish: () => Promise.resolve([{ status: 'accepted' }]) } };

    await expect(publishEntries(forgetful, named('a', 'b'))).rejects.toThrow('every event');

    expect(inLedger).toEqual([]);
  });

  it('says in its error nothing of the entries (I5)', async () => {
    const { run } = sceneOf({ outcomes: { secret: failedOutcome } });

    const error: unknown = await publishEntries(run, named('secret')).catch((thrown: unknown) => thrown);

    expect(JSON.stringify([String(error), (error as BridgeError).details])).not.toContain('secret');
  });
});

describe('an entry that the bus refuses for good (S41, S44)', () => {
  it('lies in quarantine, raw and with the reason, while the other 99 are delivered', async () => {
    const { run, quarantined, inLedger, log } = sceneOf({ outcomes: { e50: refusedOutcome } });
    const entries = many(100);

    await publishEntries(run, entries);

    expect(quarantined).toEqual([
      {
        eventId: entries[50]?.entry.id,
        sourceId: 'acme',
        reason: 'MalformedDetail',
        message: 'not JSON',
        entry: '{"id":"e50"}',
        metadata: expect.stringContaining(entries[50]?.entry.id ?? ''),
        quarantinedAt: NOW,
      },
    ]);
    expect(inLedger).toHaveLength(100);
    expect(run.counts).toMatchObject({ eventsPublished: 99, quarantined: 1 });
    expect(log.lines).toEqual([
      expect.objectContaining({
        level: 'error',
        fields: { eventId: entries[50]?.entry.id, reason: 'MalformedDetail' },
      }),
    ]);
  });

  it('is written down only after it lies in quarantine, and announced after that (I1)', async () => {
    const { run, steps } = sceneOf({ outcomes: { b: refusedOutcome } });
    const entries = named('a', 'b', 'c');

    await publishEntries(run, entries);

    expect(steps).toEqual([
      'publish a,b,c',
      'append a,c',
      'quarantine b',
      'append b',
      `notice EntryQuarantined ${entries[1]?.entry.id}`,
    ]);
  });

  it('does not have the accepted ones published again where the quarantine fails (I2)', async () => {
    const { run, inLedger } = sceneOf({ outcomes: { b: refusedOutcome }, failing: 'quarantine' });

    await expect(publishEntries(run, named('a', 'b', 'c'))).rejects.toThrow('quarantine');

    expect(inLedger).toEqual(['a', 'c']);
  });

  it('stands in quarantine even where others of its group failed', async () => {
    const { run, inLedger } = sceneOf({ outcomes: { a: failedOutcome, b: refusedOutcome } });

    await expect(publishEntries(run, named('a', 'b', 'c'))).rejects.toMatchObject({ code: 'PublishFailed' });

    expect(inLedger).toEqual(['c', 'b']);
  });

  it('does not fail the run where the bus does not take its notice either', async () => {
    const { run, log, inLedger } = sceneOf({ outcomes: { a: refusedOutcome }, failing: 'notice' });

    await publishEntries(run, named('a', 'b'));

    expect(inLedger).toEqual(['b', 'a']);
    expect(log.lines.map(({ level }) => level)).toEqual(['error', 'warn']);
  });

  it('keeps the text of its numbers (S18)', async () => {
    const { run, quarantined } = sceneOf({
      outcomes: { '9007199254740993': refusedOutcome },
    });

    await publishEntries(run, newEntries(parseJson('{"id":9007199254740993,"amount":1.10}') as JsonObject));

    expect(quarantined[0]?.entry).toBe('{"id":9007199254740993,"amount":1.10}');
  });
});

describe('an entry too large for the bus (S42)', () => {
  const large = (): NewEntry[] => newEntries({ id: 'a' }, { id: 'large', text: 'x'.repeat(5_000) }, { id: 'c' });

  it('is kept whole in quarantine before its event goes out without data, in its place among the others', async () => {
    const { run, steps, events, quarantined } = sceneOf({ maxEntryBytes: 2_000 });

    await publishEntries(run, large());

    expect(steps).toEqual(['quarantine large', 'publish a,without data,c', 'append a,large,c']);
    expect(quarantined).toEqual([expect.objectContaining({ reason: 'Oversize', quarantinedAt: NOW })]);
    expect(JSON.parse(quarantined[0]?.entry ?? '')).toEqual({ id: 'large', text: 'x'.repeat(5_000) });
    const { metadata, data } = JSON.parse(events[1]?.detail ?? '') as { metadata: { oversize: object }; data: unknown };
    expect([data, metadata.oversize]).toEqual([null, { bytes: expect.any(Number), limitBytes: 2_000 }]);
    expect(run.counts).toMatchObject({ eventsPublished: 3, quarantined: 1 });
  });

  it('has the same event id as it would have with its data', async () => {
    const { run, events } = sceneOf({ maxEntryBytes: 2_000 });
    const entries = large();

    await publishEntries(run, entries);

    expect(events[1]?.id).toBe(entries[1]?.entry.id);
  });

  it('of just the limit is published whole', async () => {
    const probe = sceneOf();
    await publishEntries(probe.run, named('a'));
    const bytes = probe.events[0]?.detail.length ?? 0;

    const fits = sceneOf({ maxEntryBytes: bytes });
    const exceeds = sceneOf({ maxEntryBytes: bytes - 1 });
    await publishEntries(fits.run, named('a'));
    await publishEntries(exceeds.run, named('a'));

    expect([fits.quarantined.length, exceeds.quarantined.length]).toEqual([0, 1]);
  });

  it('is not published, and nothing with it, where the quarantine does not take it', async () => {
    const { run, steps } = sceneOf({ maxEntryBytes: 2_000, failing: 'quarantine' });

    await expect(publishEntries(run, large())).rejects.toThrow('quarantine');

    expect(steps).toEqual(['quarantine large']);
  });
});

describe('a run whose time is over', () => {
  it('ends between two groups, with all that was published in the ledger', async () => {
    const { run, events, inLedger } = sceneOf({ isOver: (published) => published >= 200 });

    await expect(publishEntries(run, many(450))).rejects.toThrow(OutOfTime);

    expect(events).toHaveLength(200);
    expect(inLedger).toHaveLength(200);
  });

  it('still publishes its first group, so that every run gets somewhere', async () => {
    const { run, events } = sceneOf({ isOver: () => true });

    await publishEntries(run, many(MOST_UNWRITTEN));

    expect(events).toHaveLength(MOST_UNWRITTEN);
  });
});

describe('a ledger that fails', () => {
  it('ends the run after the groups that were on their way: at most a hundred are published twice (S45)', async () => {
    const { run, events } = sceneOf({ failing: 'append' });

    await expect(publishEntries(run, many(250))).rejects.toThrow('append');

    expect(events).toHaveLength(100);
  });
});

describe('the audit trail', () => {
  it('has an entry before the ledger does, with its hash and the UTC day of its event', async () => {
    const { run, steps, inTrail, events } = sceneOf({ audited: true });
    const [early, timeless] = newEntries({ id: 'early', at: '2026-02-28T23:30:00-02:00' }, { id: 'timeless' });
    const entries = [early, timeless].flatMap((entry) => (entry === undefined ? [] : [entry]));

    await publishEntries(run, entries);

    expect(steps).toEqual(['publish early,timeless', 'trail 2', 'append early,timeless']);
    expect(inTrail).toEqual(
      entries.map(({ entry: { id, sha256 } }, index) => {
        const day = events[index]?.time.toISOString().slice(0, 10);
        return { id, sha256, day, quarantined: false };
      }),
    );
    expect(inTrail[0]?.day).toBe('2026-03-01');
  });

  it('tells the quarantined from the published, and has no entry that failed', async () => {
    const outcomes = { bad: refusedOutcome, slow: failedOutcome };
    const { run, inTrail } = sceneOf({ audited: true, outcomes });
    const entries = named('good', 'bad', 'slow');

    await expect(publishEntries(run, entries)).rejects.toMatchObject({ code: 'PublishFailed' });

    const idsOf = (...indexes: number[]) => indexes.map((index) => entries[index]?.entry.id);
    expect(inTrail.filter(({ quarantined }) => !quarantined).map(({ id }) => id)).toEqual(idsOf(0));
    expect(inTrail.filter(({ quarantined }) => quarantined).map(({ id }) => id)).toEqual(idsOf(1));
  });

  it('that cannot be written keeps the entries out of the ledger, so that the next run has them again', async () => {
    const { run, inLedger } = sceneOf({ audited: true, failing: 'trail' });

    await expect(publishEntries(run, named('a'))).rejects.toMatchObject({ code: 'StateUnavailable' });

    expect(inLedger).toEqual([]);
  });
});
