// A folder that is gone when the test is over.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Creates an empty folder and removes it when the test has ended. Cleaning up runs in reverse order, so take the folder before what writes into it. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'membership-event-bridge-'));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  return folder;
}
