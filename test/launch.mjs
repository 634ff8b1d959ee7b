// What `npm test` runs.
import { launch } from '../functions/shared/launch.mjs';

await launch('npm test', 'node_modules/vitest/vitest.mjs');
