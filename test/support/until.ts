// Waits for conditions in other processes.
import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves when `holds` returns true; rejects after `limitMs`. What takes long to find out is asked less often. */
export async function until(holds: () => boolean | Promise<boolean>, limitMs = 240_000): Promise<void> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const before = Date.now();
    if (await holds()) return;
    if (Date.now() > deadline) throw new Error(`Still not so after ${limitMs} ms: ${holds.toString()}`);
    await sleep(Math.min(400, Math.max(10, 4 * (Date.now() - before))));
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
