// `npm run test:simulation -- --seeds 500 [--from 1] [--jobs 2]`: as many worlds, over worker processes; `--seed 123` replays one.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { FOUND_SEEDS } from './found-seeds.ts';
import type { Report } from './simulate.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    jobs: { type: 'string', default: String(Math.min(8, availableParallelism())) },
    /** Ends with the first world that breaks an invariant. */
    'stop-at-first': { type: 'boolean', default: false },
    /** One line of JSON for each world instead of the table. */
    json: { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
  },
});

/** A world takes seconds of a processor. One that takes this many stands still: its runs wait for each other. Wall time says nothing on a busy machine. */
const LONGEST_WORLD_SECONDS = 600;
const LOOK_EVERY_MS = 10_000;

const begunAt = performance.now();
const reports = await simulateAll(seedsToRun());
if (!values.json) console.log(table(reports, (performance.now() - begunAt) / 1_000));
process.exitCode = reports.some(isBroken) ? 1 : 0;

function seedsToRun(): number[] {
  if (values.seed !== undefined) return [Number(values.seed)];
  const [from, count] = [Number(values.from), Number(values.seeds)];
  const drawn = Array.from({ length: count }, (_, index) => from + index);
  return [...new Set([...(values.from === '1' ? Object.keys(FOUND_SEEDS).map(Number) : []), ...drawn])];
}

/** Each worker takes the next seed when it has done with one. */
async function simulateAll(seeds: number[]): Promise<Report[]> {
  const reports: Report[] = [];
  const workers = Math.min(Number(values.jobs), seeds.length);
  await Promise.all(Array.from({ length: workers }, () => work(seeds, reports)));
  return reports.sort((a, b) => a.seed - b.seed);
}

/** Lives through seeds until there are none; a world that stands still is reported as broken, and another worker goes on. */
function work(seeds: number[], reports: Report[]): Promise<void> {
  const worker = new Worker(new URL('worker.ts', import.meta.url));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let seed: number | undefined;
  const next = (): void => {
    seed = seeds.shift();
    if (seed === undefined) end(resolve);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    else worker.postMessage(seed);
  };
  const end = (go: () => void): void => {
    clearInterval(watch);
    void worker.terminate().then(go);
  };
  const watch = watchSeconds(worker, {
    seed: () => seed,
    onStandstill: (standing) => {
      tell(standstill(standing), { seeds, reports });
      end(() => resolve(work(seeds, reports)));
    },
  });
  worker.on('error', reject);
  worker.on('message', (report: Report) => {
    tell(report, { seeds, reports });
    next();
  });
  next();
  return promise;
}

function tell(report: Report, { seeds, reports }: { seeds: number[]; reports: Report[] }): void {
  reports.push(report);
  if (values.json) console.log(JSON.stringify(report));
  else if (isBroken(report)) console.log(complaint(report));
  if (isBroken(report) && values['stop-at-first']) seeds.length = 0;
  if (!values.quiet && !values.json && reports.length % 50 === 0) console.log(`${reports.length} worlds …`);
}

/** Looks now and then how long the processor has been at the same world. */
function watchSeconds(
  worker: Worker,
  { seed, onStandstill }: { seed: () => number | undefined; onStandstill: (seed: number) => void },
): NodeJS.Timeout {
  let seen = { seed: seed(), seconds: 0 };
  const look = async (): Promise<void> => {
    const { user, system } = await worker.cpuUsage();
    const seconds = (user + system) / 1e6;
    const current = seed();
    if (current !== seen.seed) seen = { seed: current, seconds };
    else if (current !== undefined && seconds - seen.seconds > LONGEST_WORLD_SECONDS) onStandstill(current);
  };
  // A worker that has just ended has nothing to tell.
  return setInterval(() => void look().catch(() => {}), LOOK_EVERY_MS).unref();
}

function standstill(seed: number): Report {
  const counts = { entries: 0, events: 0, quarantined: 0, lost: 0, announced: 0, duplicates: 0, runs: 0, kills: 0 };
  const others = { freezes: 0, requests: 0, steps: 0, gaps: 0, outages: 0, shownBytes: 0, ms: 0, story: '' };
  const what = `the world comes to no end in ${LONGEST_WORLD_SECONDS} seconds of a processor`;
  return { seed, ...counts, ...others, violations: [{ invariant: 'I4 no silence', what }] };
}

function isBroken({ violations }: Report): boolean {
  return violations.length > 0;
}

function complaint({ seed, story, violations }: Report): string {
  const lines = violations.slice(0, 3).map(({ invariant, what }) => `  ${invariant}: ${what}`);
  const known = FOUND_SEEDS[seed] === undefined ? [] : [`  Found before: ${FOUND_SEEDS[seed]}`];
  const replay = `  Replay: npm run test:simulation -- --seed ${seed}`;
  return [`Seed ${seed} (${story})`, ...lines, ...known, replay].join('\n');
}

function table(all: readonly Report[], seconds: number): string {
  const sum = (name: 'entries' | 'events' | 'quarantined' | 'lost' | 'announced' | 'duplicates') => total(all, name);
  const rows: [string, string][] = [
    ['worlds', `${all.length} (${all.filter(isBroken).length} broken)`],
    ['entries', count(sum('entries'))],
    ['events', `${count(sum('events'))}, and ${count(sum('quarantined'))} entries in quarantine`],
    ['lost', count(sum('lost'))],
    ['lost in an announced gap', count(sum('announced'))],
    ['gaps announced', `${total(all, 'gaps')}, and ${total(all, 'outages')} outages longer than the ledger`],
    [
      'duplicates',
      `${count(sum('duplicates'))} (${((100 * sum('duplicates')) / Math.max(1, sum('events'))).toFixed(2)} %)`,
    ],
    [
      'runs',
      `${count(total(all, 'runs'))}, killed ${count(total(all, 'kills'))}, frozen ${count(total(all, 'freezes'))}`,
    ],
    ['requests', count(total(all, 'requests'))],
    ['steps', count(total(all, 'steps'))],
    ['seconds', seconds.toFixed(0)],
  ];
  return rows.map(([name, value]) => `${name.padEnd(26)}${value}`).join('\n');
}

function total(all: readonly Report[], name: keyof Report): number {
  return all.reduce((sum, report) => sum + Number(report[name]), 0);
}

function count(value: number): string {
  return value.toLocaleString('en-GB');
}
