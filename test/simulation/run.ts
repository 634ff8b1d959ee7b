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

/** A world takes seconds. One that takes this long stands still: its runs wait for each other. */
const LONGEST_WORLD_MS = 10 * 60_000;

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

function work(seeds: number[], reports: Report[]): Promise<void> {
  const worker = new Worker(new URL('worker.ts', import.meta.url));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let seed: number | undefined;
  let watchdog: NodeJS.Timeout | undefined;
  const next = (): void => {
    seed = seeds.shift();
    clearTimeout(watchdog);
    watchdog = setTimeout(
      () => reject(new Error(`The world of seed ${seed} comes to no end.`)),
      LONGEST_WORLD_MS,
    ).unref();
    if (seed === undefined) void worker.terminate().then(() => resolve());
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    else worker.postMessage(seed);
  };
  worker.on('error', reject);
  worker.on('message', (report: Report) => {
    reports.push(report);
    if (values.json) console.log(JSON.stringify(report));
    else if (isBroken(report)) console.log(complaint(report));
    if (isBroken(report) && values['stop-at-first']) seeds.length = 0;
    if (!values.quiet && !values.json && reports.length % 50 === 0) console.log(`${reports.length} worlds …`);
    next();
  });
  next();
  return promise;
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
