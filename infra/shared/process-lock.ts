// A lock that is a file with its holder's process id: whoever finds it can tell whether the holder still lives.
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Takes the lock and returns null, or the process id of who holds it. The lock of a process that is gone is taken over. */
export function takeProcessLock(file: string): number | null {
  for (;;) {
    if (create(file)) return null;
    const holder = livingHolder(file);
    if (holder !== null) return holder;
    bury(file);
  }
}

export function releaseProcessLock(file: string): void {
  rmSync(file, { force: true });
}

/** A link appears whole or not at all: nobody ever reads a lock without its holder. */
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

/** Removes the lock of a process that is gone, and gives back one that somebody else has taken in the meantime. */
function bury(file: string): void {
  const grave = `${file}.${process.pid}.gone`;
  try {
    renameSync(file, grave);
    if (livingHolder(grave) !== null) linkSync(grave, file);
  } catch {
    // Somebody else was quicker; the next look tells.
  }
  rmSync(grave, { force: true });
}

function livingHolder(file: string): number | null {
  try {
    const holder = Number(readFileSync(file, 'utf8'));
    return holder > 0 && isAlive(holder) ? holder : null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It lives, and is somebody else's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
