// Where the browser for the tests of pages is: Debian's Chromium, or the one that CHROMIUM names. The shell is the same
// engine without a desktop's window, for little more than half of the processor's time.
import { existsSync } from 'node:fs';

const PATHS = [
  process.env['CHROMIUM'] ?? '',
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Null where there is none: then tests of pages are left out, and `npm test` says so. */
export const CHROMIUM = PATHS.find((path) => path !== '' && existsSync(path)) ?? null;
