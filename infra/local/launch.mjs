// What `npm start` runs.
import { isNodeNewEnough } from '../../functions/shared/node-version.mjs';

if (isNodeNewEnough('npm start')) await import('./start.ts');
else process.exitCode = 1;
