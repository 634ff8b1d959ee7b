// Waits for conditions in other processes.
import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves when `holds` returns true; rejects after `limitMs`. */
export async function until(holds: () => boolean | Promise<boolean>, limitMs = 240_000): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`Still not so after ${limitMs} ms: ${holds.toString()}`);
    await sleep(10);
  }
}

/** Whether a process with this id exists and is not a zombie. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
