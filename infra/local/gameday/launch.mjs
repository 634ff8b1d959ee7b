// What `npm run gameday` runs.
import { launch } from '../../../functions/shared/launch.mjs';

await launch('npm run gameday', 'infra/local/gameday/command.ts');
