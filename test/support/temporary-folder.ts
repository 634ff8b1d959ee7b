// Temporary folders of tests.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterTest, type AtEnd } from './at-end.ts';

/** Creates an empty folder, removed at the end. Cleanup has the reverse order: create it before its writers. */
export async function temporaryFolder(atEnd: AtEnd = afterTest): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'membership-event-bridge-'));
  atEnd(async () => await rm(folder, { recursive: true, force: true }));
  return folder;
}
