// The sealer with a past that is read once, and with a trail that is off, on or damaged.
import { beforeEach, describe, expect, it } from 'vitest';
import { at, createSealWorld, expectProven, Killed, type OnStep, type SealWorld } from './seal-world.ts';

let world: SealWorld;

beforeEach(() => {
  world = createSealWorld();
});

const kill =
  (side: 'before' | 'after') =>
  (name: string): OnStep =>
  (when, step) => {
    if (when === side && step === name) throw new Killed();
  };
const killBefore = kill('before');
const killAfter = kill('after');

describe('the past', () => {
  beforeEach(() => {
    if (world.state) world.state = { ...world.state, deferredLevels: ['past'] };
    world.append('2026-10-31', 'old');
  });

  it('is not sealed while it is still being read', async () => {
    world.reconciledAt('2026-11-05T06:00:00Z');

    const result = await world.seal();

    expect(result).toEqual({ sourceId: 'acme', checkpoints: 0, nextDay: null, reason: 'reading-the-past' });
    expect(world.published).toEqual([]);
  });

  it('is sealed day by day without the empty ones when it has been read', async () => {
    world.append('2026-10-29', 'older');
    await world.seal();
    if (world.state) world.state = { ...world.state, deferredLevels: ['settle'] };
    world.reconciledAt('2026-11-04T06:00:00Z');

    await world.seal();

    expect(world.story()).toEqual(['begin', '2026-10-29: 1', '2026-10-31: 1', '2026-11-02: 0']);
    expect(world.checkpoints()[0]).toMatchObject({ since: '2026-11-02T08:00:00.000Z', firstDay: '2026-10-29' });
    expectProven(world);
  });

  it('has an amendment for an empty day whose entry arrives late', async () => {
    if (world.state) world.state = { ...world.state, deferredLevels: [] };
    await world.seal();
    world.append('2026-10-30', 'late');
    world.append('2026-11-01', 'in time');

    world.reconciledAt('2026-11-03T06:00:00Z');

    await world.seal();

    expect(world.story()).toEqual(['begin', '2026-10-31: 1', '2026-10-30 amendment 1: 1', '2026-11-01: 1']);
    expectProven(world);
  });

  it('has the days of a backfill amended once it is closed, days before the first one too, and others sealed', async () => {
    const { state } = world;
    if (state === null) throw new Error('The source has begun.');
    world.state = { ...state, deferredLevels: [] };
    await world.seal();
    world.append('2025-03-01', 'before the first day');
    world.append('2026-10-31', 'of a sealed day');
    world.append('2026-11-01', 'today');

    world.state = { ...world.state, backfills: { revision: 1, open: ['b1'] } };
    world.reconciledAt('2026-11-03T06:00:00Z');
    await world.seal();
    const meanwhile = world.story();
    world.state = { ...world.state, backfills: { revision: 1, open: [] } };
    await world.seal();

    expect(meanwhile).toEqual(['begin', '2026-10-31: 1', '2026-11-01: 1']);
    expect(world.story().slice(3)).toEqual(['2025-03-01 amendment 1: 1', '2026-10-31 amendment 1: 1']);
    expectProven(world);
  });

  it('has a sealed day amended, not sealed again, when an entry arrives during the search for the next day', async () => {
    if (world.state) world.state = { ...world.state, deferredLevels: [] };
    await world.seal();
    const late: OnStep = (when, step) => {
      if (when === 'before' && step === 'trail.firstDay') world.append('2026-10-31', 'late');
    };

    await world.seal({ onStep: late });
    await world.seal();

    expect(world.story()).toEqual(['begin', '2026-10-31: 1', '2026-10-31 amendment 1: 1']);
    expectProven(world);
  });

  it('costs one checkpoint for an unset date in the year 1', async () => {
    world.append('0001-01-01', 'unset');
    if (world.state) world.state = { ...world.state, deferredLevels: [] };

    const result = await world.seal();

    expect(world.story()).toEqual(['begin', '0001-01-01: 1', '2026-10-31: 1']);
    expect(result).toEqual({ sourceId: 'acme', checkpoints: 3, nextDay: '2026-11-01' });
    expectProven(world);
  });

  it('begins with the day of the first run when it has no entries', async () => {
    world.segments.length = 0;
    world.appended.length = 0;
    if (world.state) world.state = { ...world.state, deferredLevels: [] };
    world.append('2026-11-09', 'future');

    await world.seal();

    expect(world.head).toMatchObject({ firstDay: '2026-11-02', nextDay: '2026-11-02' });
  });
});

describe('a trail', () => {
  it('that was never on is not sealed', async () => {
    if (world.state) delete world.state.auditSince;

    const result = await world.seal();

    expect(result).toEqual({ sourceId: 'acme', checkpoints: 0, nextDay: null, reason: 'trail-off' });
  });

  it.each([
    ['has not run', null],
    ['has not logged in yet', 'unbegun'],
  ])('of a source that %s is not sealed', async (_, state) => {
    world.state = state === null || world.state === null ? null : { ...world.state, firstRunAt: null };

    const result = await world.seal();

    expect(result).toEqual({ sourceId: 'acme', checkpoints: 0, nextDay: null, reason: 'not-started' });
  });

  it('that was off begins again in the same chain, without the days while it was off', async () => {
    world.append('2026-11-02', 'a');
    world.append('2026-11-03', 'b');
    world.reconciledAt('2026-11-04T06:00:00Z');
    await world.seal();
    const state = world.state;
    if (state) delete state.auditSince;
    const off = await world.seal();
    world.state = state && { ...state, auditSince: at('2026-11-08T10:00:00Z') };
    world.append('2026-11-08', 'c');
    world.reconciledAt('2026-11-10T06:00:00Z');

    await world.seal();

    expect(off).toMatchObject({ checkpoints: 0, nextDay: '2026-11-03', reason: 'trail-off' });
    expect(world.story()).toEqual(['begin', '2026-11-02: 1', 'begin', '2026-11-03 amendment 1: 1', '2026-11-08: 1']);
    expect(world.checkpoints().at(-1)).toMatchObject({ since: '2026-11-08T10:00:00.000Z', firstDay: '2026-11-08' });
    expectProven(world);
  });

  it('that was off and on within a day continues with the next day', async () => {
    world.reconciledAt('2026-11-04T06:00:00Z');
    await world.seal();
    world.append('2026-11-03', 'a');
    if (world.state) world.state = { ...world.state, auditSince: at('2026-11-03T12:00:00Z') };
    world.reconciledAt('2026-11-05T06:00:00Z');

    await world.seal();

    expect(world.story()).toEqual(['begin', '2026-11-02: 0', 'begin', '2026-11-03: 1']);
    expectProven(world);
  });

  it('that was off after the manifest of a day was written begins again when that day is sealed', async () => {
    world.append('2026-11-02', 'a');
    world.reconciledAt('2026-11-04T06:00:00Z');
    await world.seal({ onStep: killAfter('bucket.putOnce') }).catch(() => {});
    if (world.state) world.state = { ...world.state, auditSince: at('2026-11-04T06:00:00Z') };

    await world.seal();

    expect(world.story()).toEqual(['begin', '2026-11-02: 1', 'begin']);
    expectProven(world);
  });

  it('that was off after an amendment was started begins again when the amendment is sealed', async () => {
    world.append('2026-11-02', 'a');
    world.reconciledAt('2026-11-04T06:00:00Z');
    await world.seal();
    world.append('2026-11-02', 'late');
    await world.seal({ onStep: killAfter('bucket.putOnce') }).catch(() => {});
    if (world.state) world.state = { ...world.state, auditSince: at('2026-11-04T06:00:00Z') };

    await world.seal();

    expect(world.story().slice(2)).toEqual(['2026-11-02 amendment 1: 1', 'begin']);
    expectProven(world);
  });

  it('whose segments are gone before the manifest of their day is written has that day sealed as empty', async () => {
    world.append('2026-11-02', 'a');
    world.reconciledAt('2026-11-04T06:00:00Z');
    await world.seal({ onStep: killBefore('bucket.putOnce') }).catch(() => {});
    world.segments.length = 0;
    world.appended.length = 0;

    await world.seal();

    expect(world.story()).toEqual(['begin', '2026-11-02: 0']);
    expectProven(world);
  });

  it('whose segments are gone after the manifest of their day is written has that day sealed by the manifest', async () => {
    world.append('2026-11-02', 'a');
    world.reconciledAt('2026-11-04T06:00:00Z');
    await world.seal({ onStep: killAfter('bucket.putOnce') }).catch(() => {});
    world.segments.length = 0;

    await world.seal();

    expect(world.story()).toEqual(['begin', '2026-11-02: 1']);
    expectProven(world);
  });

  it('whose segments are gone after an amendment was started with them is sealed further', async () => {
    world.reconciledAt('2026-11-04T06:00:00Z');
    await world.seal();
    world.append('2026-11-02', 'late');
    await world.seal({ onStep: killAfter('chain.replaceHead') }).catch(() => {});
    world.segments.length = 0;
    world.reconciledAt('2026-11-05T06:00:00Z');

    await world.seal();

    expect(world.story().slice(2)).toEqual(['2026-11-03: 0']);
    expect(world.head?.amending).toBeNull();
  });

  it('that was off and lost the segments of a started amendment begins again without sealing a day before', async () => {
    world.reconciledAt('2026-11-04T06:00:00Z');
    await world.seal();
    world.append('2026-11-02', 'late');
    await world.seal({ onStep: killAfter('chain.replaceHead') }).catch(() => {});
    world.segments.length = 0;
    if (world.state) world.state = { ...world.state, auditSince: at('2026-11-06T00:00:00Z') };
    world.reconciledAt('2026-11-08T06:00:00Z');

    await world.seal();

    expect(world.story().slice(2)).toEqual(['begin', '2026-11-06: 0']);
  });

  it('never has a day sealed twice, even if the clock was set back before it was switched on again', async () => {
    world.reconciledAt('2026-11-06T06:00:00Z');
    await world.seal();
    if (world.state) world.state = { ...world.state, auditSince: at('2026-11-01T00:00:00Z') };

    await world.seal();

    expect(world.checkpoints().at(-1)).toMatchObject({ kind: 'begin', firstDay: '2026-11-05' });
  });
});
