// What `npm start` runs.
import { launch } from '../../functions/shared/launch.mjs';

await launch('npm start', 'infra/local/start.ts');
