// Temporary folders of tests.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterTest, type AtEnd } from './at-end.ts';

/** Creates an empty folder, removed at the end. Cleanup has the reverse order: create it before its writers. */
export async function temporaryFolder(atEnd: AtEnd = afterTest): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'membership-event-bridge-'));
  // A file that is written while it is removed, such as by a function that is being ended, is removed again.
  atEnd(async () => await rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
