// A lock that is a file with its holder's process id: whoever finds it can tell whether the holder still lives.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

/** Takes the lock and returns null, or the process id of who holds it. The lock of a process that is gone is taken over. */
export function takeProcessLock(file: string): number | null {
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      return null;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = readHolder(file);
    if (holder !== null && isAlive(holder)) return holder;
    rmSync(file, { force: true });
  }
}

export function releaseProcessLock(file: string): void {
  rmSync(file, { force: true });
}

function readHolder(file: string): number | null {
  try {
    const holder = Number(readFileSync(file, 'utf8'));
    return holder > 0 ? holder : null;
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
