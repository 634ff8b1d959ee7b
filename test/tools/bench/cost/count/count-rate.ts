// Counts one source at one rate of entries: some minutes at that rate, then one sweep that looks far back.
import { gzipSync } from 'node:zlib';
import type { PollResult } from '../../../../../functions/poller/result.ts';
import type { Summary } from '../../../../../infra/local/terminal/summary.ts';
import { type Counts, dividedBy, minus, NOTHING, plus } from './counts.ts';
import { type CountingWorld, SOURCE_ID, startCountingWorld } from './counting-world.ts';
import { assertRight, NoFigures } from '../../gate.ts';
import { type MetricName, metricsIn } from './metric-names.ts';
import type { CountedRate } from '../monthly-units.ts';

export type RatePlan = {
  entriesADay: number;
  /** The number of simulated minutes, each with one tick. */
  ticks: number;
  pageSize: number;
  /** Of the past. More do not change the cost of a far sweep per entry. */
  pastEntries?: number;
};

export type RateCount = Omit<CountedRate, 'auditedTick'> & {
  pageSize: number;
  /** The counts of the first run, which logs in. */
  firstRun: Counts;
  metrics: MetricName[];
  /** The share of events that are changes of members. */
  memberChangedShare: number;
  /** The additional metrics of an hour in which a run fails. */
  metricsOfFailure: MetricName[];
  /** The comparison of the service's log with the accepted events. */
  account: Summary;
};

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** The recent sweep's look-back. */
const LOOKBACK_MINUTES = 3;
/** Minutes before the counted ones: until no run reads again the entry that shows the service's clock. */
const LEAD_MINUTES = LOOKBACK_MINUTES + 1;
/** The reconcile sweep's look-back, beyond which nothing is read again. */
const MAX_PAST_MINUTES = 30 * 60;
const MAX_PAST_ENTRIES = 6_000;
/** A source without entries needs some in its past, so that the bridge learns their form. */
const LONG_AGO = { entries: 100, days: 1, beforeMs: 3 * DAY_MS };

const NEVER = { every: { settle: 'P3D', reconcile: 'P3D' } };
const NOW = { every: { settle: 'PT0.001S', reconcile: 'PT0.001S' } };

/** Counts a rate. Rejects with NoFigures if a run fails or a sweep ends early, or an entry is lost or duplicated. */
export async function countRate(plan: RatePlan, assemblyFolder: string): Promise<RateCount> {
  const begin = Date.now() - (LEAD_MINUTES + plan.ticks) * MINUTE_MS;
  const settings = { startFrom: 'beginning', pageSize: plan.pageSize, maxRequestsPerMinute: 600, advanced: NEVER };
  // The past is denser at some hours of the day: no run that is counted reads any of it again.
  const regularFrom = begin - LOOKBACK_MINUTES * MINUTE_MS;
  await using world = await startCountingWorld({ assemblyFolder, settings, history: historyOf(plan, regularFrom) });
  writeRegularly(world, plan, regularFrom);
  world.setTime(begin);
  const firstRun = await readPast(world);
  await showClock(world, begin);

  let lived = NOTHING;
  for (let minute = 1; minute <= LEAD_MINUTES + plan.ticks; minute += 1) {
    world.setTime(begin + minute * MINUTE_MS);
    const counts = await tickOf(world, 'recent', NEVER);
    if (minute > LEAD_MINUTES) lived = plus(lived, counts);
  }
  const quiet = await tickOf(world, 'recent', NEVER);
  const far = await tickOf(world, 'reconcile', NOW);
  const account = await world.account();
  assertRight(account);
  const metrics = metricsIn(world.lines.map(({ text }) => text));
  return {
    entriesADay: plan.entriesADay,
    pageSize: plan.pageSize,
    tick: dividedBy(lived, plan.ticks),
    entryAgain: perEntry(minus(far, quiet)),
    firstRun,
    metrics,
    compressed: compressedShare(world, plan),
    memberChangedShare: shareOf(world, 'MemberChanged'),
    metricsOfFailure: await metricsOfFailure(world, metrics),
    account,
  };
}

function historyOf(
  { entriesADay, pastEntries = MAX_PAST_ENTRIES }: RatePlan,
  begin: number,
): { entries: number; days: number; at: number } {
  if (entriesADay === 0) return { ...LONG_AGO, at: begin - LONG_AGO.beforeMs };
  const minutes = Math.min(MAX_PAST_MINUTES, (pastEntries / entriesADay) * 1_440);
  return { entries: Math.round((entriesADay * minutes) / 1_440), days: minutes / 1_440, at: begin };
}

/** Writes entries at regular intervals, which the service shows when its clock reaches them. */
function writeRegularly(world: CountingWorld, { entriesADay, ticks }: RatePlan, from: number): void {
  const past: Written[] = [...world.service.entries()];
  const minutes = LOOKBACK_MINUTES + LEAD_MINUTES + ticks;
  const total = Math.round((entriesADay * minutes) / 1_440);
  for (let index = 0; index < total; index += 1)
    writeLike(
      past[index % past.length] as Written,
      from + Math.floor(((index + 0.5) / total) * minutes * MINUTE_MS),
      world,
    );
}

type Written = { actionKey: string; json: string };

function writeLike({ actionKey, json }: Written, at: number, { service }: CountingWorld): void {
  const { memberName, details } = JSON.parse(json) as { memberName: string | null; details: Record<string, string> };
  service.write({ actionKey, details, at, ...(memberName === null ? {} : { memberName }) });
}

/** The service's clock is behind the bridge's, which believes it once a new entry is stamped by it (S78). */
async function showClock(world: CountingWorld, at: number): Promise<void> {
  writeLike([...world.service.entries()][0] as Written, at, world);
  await tickOf(world, 'reconcile', NOW);
}

const MAX_RUNS = 20;

async function readPast(world: CountingWorld): Promise<Counts> {
  const first = await world.tick();
  let { result } = first;
  for (let run = 1; run < MAX_RUNS && result.outcome === 'continuing'; run += 1) ({ result } = await world.tick());
  if (result.outcome === 'continuing') throw new NoFigures(`The past is not read after ${MAX_RUNS} runs.`);
  return first.counts;
}

async function tickOf(world: CountingWorld, level: 'recent' | 'reconcile', advanced: object): Promise<Counts> {
  const { counts, result } = await world.tick({ advanced });
  if (!isWhole(result, level))
    throw new NoFigures(`A run did not read a whole ${level} sweep: ${JSON.stringify(result)}`);
  return counts;
}

function isWhole({ sweep }: PollResult, level: string): boolean {
  return sweep?.level === level && sweep.complete;
}

function perEntry(counts: Counts): Counts {
  return counts.entriesRead === 0 ? NOTHING : { ...dividedBy(counts, counts.entriesRead), runs: 0 };
}

/** The size of an object with the events of one minute, against theirs. */
function compressedShare({ cloud }: CountingWorld, { entriesADay }: RatePlan): number {
  const events = [...cloud.services.eventbridge.resources.events()].slice(
    0,
    Math.max(1, Math.round(entriesADay / 1_440)),
  );
  const text = events.map((event) => `${event.text}\n`).join('');
  return text === '' ? 1 : gzipSync(text).length / Buffer.byteLength(text);
}

function shareOf({ cloud }: CountingWorld, detailType: string): number {
  const events = [...cloud.services.eventbridge.resources.events()];
  return events.length === 0 ? 0 : events.filter((event) => event.detailType === detailType).length / events.length;
}

async function metricsOfFailure(world: CountingWorld, before: readonly MetricName[]): Promise<MetricName[]> {
  world.service.faults.forbid = true;
  const from = world.lines.length;
  await world.cloud.invoke(SOURCE_ID);
  return metricsIn(world.lines.slice(from).map(({ text }) => text)).filter((name) => !before.includes(name));
}
