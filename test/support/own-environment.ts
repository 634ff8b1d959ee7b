// Takes back what a test file has put into the environment: the files of a worker share their process.
import { afterAll, vi } from 'vitest';

const before = { ...process.env };

afterAll(() => {
  // Else they would be taken back in the midst of the next file.
  vi.unstubAllEnvs();
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(before, name)) delete process.env[name];
  Object.assign(process.env, before);
});
