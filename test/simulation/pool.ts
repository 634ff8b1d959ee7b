// Worlds over worker threads. Each worker takes the next one when it has done with one.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

export type Task = { seed: number; isCalm: boolean };

/** Worker threads where nobody says how many. */
export const USUAL_JOBS = Math.min(8, availableParallelism());
/** Processor seconds after which a world stands still: its runs wait for each other. Wall time says nothing here. */
export const MAX_WORLD_SECONDS = 600;
const LOOK_EVERY_MS = 10_000;

type Options<Report> = {
  jobs: number;
  onReport?: (report: Report) => void;
  /** What is reported of a world that stands still; without it, all ends there. */
  toStandstill?: (task: Task) => Report;
};

/** Works off the list of tasks; resolves to their reports by seed. If a world stands still, another worker goes on. */
export async function simulateAll<Report extends { seed: number }>(
  tasks: Task[],
  options: Options<Report>,
): Promise<Report[]> {
  const reports: Report[] = [];
  const onReport = (report: Report): void => {
    reports.push(report);
    options.onReport?.(report);
  };
  const workers = Math.min(options.jobs, tasks.length);
  await Promise.all(Array.from({ length: workers }, () => work(tasks, { ...options, onReport })));
  return reports.sort((a, b) => a.seed - b.seed);
}

function work<Report>(tasks: Task[], options: Options<Report>): Promise<void> {
  const { onReport, toStandstill } = options;
  const worker = new Worker(new URL('worker.ts', import.meta.url));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let task: Task | undefined;
  const next = (): void => {
    task = tasks.shift();
    if (task === undefined) end(resolve);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    else worker.postMessage(task);
  };
  const end = (go: () => void): void => {
    clearInterval(watch);
    void worker.terminate().then(go);
  };
  const onStandstill = (standing: Task): void => {
    if (!toStandstill) return end(() => reject(new Error(`The world of seed ${standing.seed} comes to no end.`)));
    onReport?.(toStandstill(standing));
    end(() => resolve(work(tasks, options)));
  };
  const watch = watchSeconds(worker, { task: () => task, onStandstill });
  worker.on('error', reject);
  worker.on('message', (report: Report) => {
    onReport?.(report);
    next();
  });
  next();
  return promise;
}

/** Looks now and then how long the processor has been at the same world. */
function watchSeconds(
  worker: Worker,
  { task, onStandstill }: { task: () => Task | undefined; onStandstill: (task: Task) => void },
): NodeJS.Timeout {
  let seen = { task: task(), seconds: 0 };
  const look = async (): Promise<void> => {
    const { user, system } = await worker.cpuUsage();
    const seconds = (user + system) / 1e6;
    const current = task();
    if (current !== seen.task) seen = { task: current, seconds };
    else if (current !== undefined && seconds - seen.seconds > MAX_WORLD_SECONDS) onStandstill(current);
  };
  // A worker that has just ended has nothing to tell.
  return setInterval(() => void look().catch(() => {}), LOOK_EVERY_MS).unref();
}
