// How much memory a long drain takes: the whole process under a heap of 128 MB, watched from inside and from outside.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { drain } from './drain.ts';
import { startDrainWorld } from './drain-world.ts';
import { assertRight } from '../gate.ts';
import { loadNow } from '../surroundings.ts';

export type HeapFigures = {
  entries: number;
  pageSize: number;
  runs: number;
  seconds: number;
  /** What V8 was told not to exceed. */
  limitMb: number;
  /** Most that was in use just after a major collection, most that was in use at all, and most that the process held. */
  afterCollectionMb: number;
  heapMb: number;
  residentMb: number;
  load: string;
};

/** Nine tenths of a function's memory become its heap's limit: 127 MB of this. */
const MEMORY_MB = 142;
const PAGE_SIZE = 1_000;
const MB = 1024 ** 2;

/** Drains in one warm process. Rejects with NoFigures where a run fails (a process that needs more dies), and where an entry is lost or published twice. */
export async function measureHeap(entries: number): Promise<HeapFigures> {
  await using world = await startDrainWorld({
    entries,
    pageSize: PAGE_SIZE,
    serviceLatencyMs: 0,
    awsLatency: false,
    memoryMb: MEMORY_MB,
    noteOnly: true,
  });
  const watch = watchResident(world.pids);
  const runs = await drain(world).finally(watch.stop);
  assertRight(await world.account());
  const most = (of: 'heapAfterCollectionBytes' | 'heapBytes' | 'residentBytes'): number =>
    Math.max(...runs.map(({ probe }) => probe[of])) / MB;
  return {
    entries,
    pageSize: PAGE_SIZE,
    runs: runs.length,
    seconds: runs.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1_000,
    limitMb: Math.floor(MEMORY_MB * 0.9),
    afterCollectionMb: most('heapAfterCollectionBytes'),
    heapMb: most('heapBytes'),
    residentMb: Math.max(most('residentBytes'), watch.mostBytes() / MB),
    load: loadNow(),
  };
}

const EVERY_MS = 1_000;

/** Asks the system; where there is no /proc, only the process itself is heard. */
function watchResident(pids: () => number[]): { mostBytes: () => number; stop: () => void } {
  let most = 0;
  const stopping = new AbortController();
  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      for (const pid of pids()) most = Math.max(most, await peakBytes(pid));
      await sleep(EVERY_MS, undefined, { signal: stopping.signal, ref: false });
    }
  };
  watch().catch(() => {});
  return { mostBytes: () => most, stop: () => stopping.abort() };
}

async function peakBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmHWM:\s*(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}
