// What `npm test` runs.
import { launch } from '../functions/shared/launch.mjs';
import { CHROMIUM } from './support/chromium.mjs';

if (CHROMIUM === null)
  console.error(
    'There is no Chromium, so the tests of the pages of the console are left out. Install it (Debian: apt-get install chromium-headless-shell), or name one: CHROMIUM=/path npm test',
  );

await launch('npm test', 'node_modules/vitest/vitest.mjs');
