// `npm run test:slowest [-- report.json …]` runs the tests and the scenarios, or reads the given reports, and prints
// the thirty slowest files and tests.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reportOf, ROOT } from '../matrix/run-tests.ts';
import { slowestOf, toText } from './slowest.ts';

const PROJECTS = ['unit', 'integration', 'bridge', 'membership-service', 'infra', 'simulation'];
const LIMIT = 30;

const report = reportOf(process.argv.slice(2), [
  ...PROJECTS.flatMap((project) => ['--project', project]),
  '--tagsFilter',
  '!endurance',
]);
console.log(toText(slowestOf(report, (file) => readFileSync(join(ROOT, file), 'utf8'), LIMIT)));
