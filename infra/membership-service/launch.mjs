// What `npm run membership-service` runs.
import { launch } from '../../functions/shared/launch.mjs';

await launch('npm run membership-service', 'infra/membership-service/command.ts');
