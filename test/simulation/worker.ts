// A thread that lives through one world after the other.
import { parentPort } from 'node:worker_threads';
import { simulate } from './simulate.ts';

parentPort?.on('message', (seed: number) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  void simulate(seed).then((report) => parentPort?.postMessage(report));
});
