// Temporary folders of tests.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Creates an empty folder, removed after the test. Cleanup has the reverse order: create it before its writers. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'membership-event-bridge-'));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  return folder;
}
