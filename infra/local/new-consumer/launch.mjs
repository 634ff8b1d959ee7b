// What `npm run new-consumer` runs.
import { launch } from '../../../functions/shared/launch.mjs';

await launch('npm run new-consumer', 'infra/local/new-consumer/command.ts');
