// `npm run test:slowest [-- report.json …]` runs the tests and the scenarios, or reads the given reports, and prints
// the thirty slowest files and tests.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { reportOf, ROOT } from '../matrix/run-tests.ts';
import { slowestOf, toText } from './slowest.ts';

const PROJECTS = ['unit', 'integration', 'bridge', 'membership-service', 'infra', 'simulation'];
const LIMIT = 30;

const { args } = new Command('npm run test:slowest --')
  .description(`Runs the tests and the scenarios, and lists the ${LIMIT} slowest files and tests.`)
  .argument('[reports...]', 'reports of `vitest --reporter json`, which are read instead')
  .parse();
for (const file of args)
  if (!existsSync(file)) {
    console.error(`There is no report ${file}. Make it with: vitest run … --reporter json --outputFile ${file}`);
    process.exit(2);
  }

const report = reportOf(args, [...PROJECTS.flatMap((project) => ['--project', project]), '--tagsFilter', '!frames']);
console.log(toText(slowestOf(report, (file) => readFileSync(join(ROOT, file), 'utf8'), LIMIT)));
