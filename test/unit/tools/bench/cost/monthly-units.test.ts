import { describe, expect, it } from 'vitest';
import { platformBytes, processorFactor, SERVICE_ANSWER_MS } from '../../../../tools/bench/cost/assumptions.ts';
import { billOf } from '../../../../tools/bench/cost/bill.ts';
import { type Counts, NOTHING } from '../../../../tools/bench/cost/count/counts.ts';
import {
  type CountedRate,
  entriesReadAgain,
  type Measured,
  type MonthlyUnits,
  monthlyUnits,
} from '../../../../tools/bench/cost/monthly-units.ts';
import { PRICES, type UnitName } from '../../../../tools/bench/cost/prices.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const TICKS = 43_800;
const GB = 1024 ** 3;

const measured: Measured = {
  sweeps: {
    lookbackMs: { recent: 3 * MINUTE, settle: 2.5 * HOUR, reconcile: 30 * HOUR },
    everyMs: { settle: HOUR / 2, reconcile: 6 * HOUR },
  },
  template: {
    alarmsPerSource: 2,
    alarmsPerQueue: 1,
    secretsPerSource: 1,
    schedulesPerSource: 1,
    pollerMemoryMb: 256,
    consumerMemoryMb: 128,
    archiveDays: 90,
    logDays: 30,
    eventLogDays: 7,
  },
  metricsPerSource: 7,
  secretReadsPerLogin: 1,
  consumer: { durationMs: 2, logBytes: 300, share: 0.25 },
};

const idle: CountedRate = {
  entriesADay: 0,
  tick: { ...NOTHING, runs: 1, requests: 1, tableWrites: 4, durationMs: 10, logBytes: 1_000 },
  entryAgain: NOTHING,
};
const busy: CountedRate = {
  entriesADay: 14_400,
  tick: { ...idle.tick, events: 10, eventChunks: 10, eventBytes: 10_000, ledgerBytes: 500, tableReads: 1 },
  entryAgain: { ...NOTHING, entriesRead: 1, requests: 0.01, tableReads: 0.02 },
};
const plain = { alarms: true, eventLog: false, memberChange: false };

describe('monthlyUnits', () => {
  it('of an idle source are a month of ticks and nothing else', () => {
    const units = monthlyUnits(measured, { ...plain, sources: [idle] });

    expect(units).toMatchObject({
      scheduleInvocations: TICKS,
      lambdaRequests: TICKS,
      tableReads: 0,
      tableWrites: 4 * TICKS,
      eventChunks: 0,
      archiveGb: 0,
      customMetrics: 7,
      alarms: 2,
      secrets: 1,
    });
    expect(units.secretReads).toBeCloseTo(43_800 / 45);
  });

  it("scale the time of a run by the share of a processor, and add the service's time", () => {
    const { lambdaGbSeconds } = monthlyUnits(measured, { ...plain, sources: [idle] });

    const seconds = (10 * processorFactor(256) + SERVICE_ANSWER_MS) / 1000;
    expect(lambdaGbSeconds).toBeCloseTo((TICKS * seconds) / 4);
    expect(processorFactor(2_048)).toBe(1);
  });

  it('include the lines that Lambda writes', () => {
    const { logGb } = monthlyUnits(measured, { ...plain, sources: [idle] });

    expect(logGb).toBeCloseTo((TICKS * (1_000 + platformBytes())) / GB);
  });

  it('keep the ledger for 14 days and the archive as long as the template says', () => {
    const units = monthlyUnits(measured, { ...plain, sources: [busy] });

    expect(units.tableGb).toBeCloseTo((14 * 1_440 * 500) / GB);
    expect(units.archivedGb).toBeCloseTo((TICKS * 10_000) / GB);
    expect(units.archiveGb).toBeCloseTo((90 * 1_440 * 10_000) / GB);
  });

  it('include what the larger sweeps read again', () => {
    const { tableReads } = monthlyUnits(measured, { ...plain, sources: [busy] });

    const again = entriesReadAgain(14_400, measured.sweeps) * (730 / 24);
    expect(tableReads).toBeCloseTo(TICKS + again * 0.02);
  });

  it('add up sources', () => {
    const one = monthlyUnits(measured, { ...plain, sources: [busy] });
    const two = monthlyUnits(measured, { ...plain, sources: [busy, busy] });

    const shared: UnitName[] = ['alarmMails'];
    const ofTwo = (name: UnitName): number => one[name] * (shared.includes(name) ? 1 : 2);
    for (const name of Object.keys(one) as UnitName[]) expect(two[name]).toBeCloseTo(ofTwo(name));
  });

  it('of a consumer are invocations, their log and the alarm of its queue', () => {
    const without = monthlyUnits(measured, { ...plain, sources: [busy] });

    const units = monthlyUnits(measured, { ...plain, memberChange: true, sources: [busy] });

    const invocations = TICKS * 10 * 0.25;
    expect(units.lambdaRequests - without.lambdaRequests).toBe(invocations);
    expect(units.logGb - without.logGb).toBeCloseTo((invocations * (300 + platformBytes())) / GB);
    expect(units.alarms).toBe(3);
    expect(units.lambdaGbSeconds).toBeGreaterThan(without.lambdaGbSeconds);
  });

  it('of the event log are the bytes of the events, kept for its own days', () => {
    const without = monthlyUnits(measured, { ...plain, sources: [busy] });

    const units = monthlyUnits(measured, { ...plain, eventLog: true, sources: [busy] });

    const bytesADay = 1_440 * (10_000 + 10 * 26);
    expect(units.logGb - without.logGb).toBeCloseTo((bytesADay * (730 / 24)) / GB);
    expect(units.logStoredGb - without.logStoredGb).toBeCloseTo((bytesADay * 7) / GB);
  });

  it.each([
    ['tableWrites', 'tableWrites'],
    ['tableReads', 'tableReads'],
    ['eventChunks', 'eventChunks'],
    ['eventBytes', 'archivedGb'],
    ['ledgerBytes', 'tableGb'],
    ['logBytes', 'logGb'],
    ['durationMs', 'lambdaGbSeconds'],
    ['requests', 'lambdaGbSeconds'],
  ] as const satisfies [keyof Counts, UnitName][])('a tick with more %s makes the bill larger', (name, unit) => {
    const more = { ...busy, tick: { ...busy.tick, [name]: busy.tick[name] * 2 } };

    const [before, after] = [busy, more].map((rate) => monthlyUnits(measured, { ...plain, sources: [rate] })) as [
      MonthlyUnits,
      MonthlyUnits,
    ];

    expect(after[unit]).toBeGreaterThan(before[unit]);
    expect(billOf(after, PRICES).pastFree).toBeGreaterThan(billOf(before, PRICES).pastFree);
  });
});

describe('entriesReadAgain', () => {
  it('counts what 44 settle and 4 reconcile sweeps of a day read in addition to recent ones', () => {
    const aMinute = 1_440;

    const again = entriesReadAgain(aMinute, measured.sweeps);

    expect(again).toBeCloseTo(44 * (180 - 4) + 4 * (36 * 60 - 4));
  });
});
