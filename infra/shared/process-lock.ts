// A lock file that holds the process id of its owner, so that a later process can tell whether the owner still runs.
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Takes the lock and returns null, or returns the owner's process id. The lock of an ended process is taken over. */
export function takeProcessLock(file: string): number | null {
  for (;;) {
    if (create(file)) return null;
    const owner = runningOwner(file);
    if (owner !== null) return owner;
    removeStale(file);
  }
}

export function releaseProcessLock(file: string): void {
  rmSync(file, { force: true });
}

/** A hard link appears complete or not at all, so nobody reads a lock without its owner. */
function create(file: string): boolean {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, String(process.pid));
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Removes the lock of a process that has ended. Restores the lock if another process has taken it in the meantime. */
function removeStale(file: string): void {
  const stale = `${file}.${process.pid}.gone`;
  try {
    renameSync(file, stale);
    if (runningOwner(stale) !== null) linkSync(stale, file);
  } catch {
    // Another process was faster; the next attempt finds out.
  }
  rmSync(stale, { force: true });
}

/** The process id of the owner of a lock; null if nobody holds it. */
export function runningOwner(file: string): number | null {
  try {
    const owner = Number(readFileSync(file, 'utf8'));
    return owner > 0 && isRunning(owner) ? owner : null;
  } catch {
    return null;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process runs, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
