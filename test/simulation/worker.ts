// A thread that lives through one world after the other.
import { parentPort } from 'node:worker_threads';
import { liveCalmly } from './calm.ts';
import type { Task } from './pool.ts';
import { simulate } from './simulate.ts';

const live = async ({ seed, isCalm }: Task): Promise<unknown> =>
  isCalm ? (await liveCalmly(seed)).report : await simulate(seed);

parentPort?.on('message', (task: Task) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  void live(task).then((report) => parentPort?.postMessage(report));
});
