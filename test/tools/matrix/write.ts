// `npm run matrix` runs the homes of the failures, or reads reports of Vitest, and writes docs/fault-matrix.md. It ends
// with 1 if a row is red. `-- --only S17,S18 --to FILE` runs and writes these rows alone.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { toDocument, type Circumstances } from './document.ts';
import { homeOf, redRows, toMatrix } from './matrix.ts';
import { reportOf, ROOT } from './run-tests.ts';
import { SCENARIOS } from './scenarios.ts';

const DOCUMENT = join(ROOT, 'docs/fault-matrix.md');

const { values, positionals: reports } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, to: { type: 'string', default: DOCUMENT } },
});
if (values.only !== undefined && values.to === DOCUMENT) {
  console.error('A part of the rows would replace the whole document. Name another file: --to FILE');
  process.exit(2);
}

function circumstances(): Circumstances {
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  const isChanged = git('status', '--porcelain', '--', 'functions', 'infra', 'test') !== '';
  const [cpu] = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: git('rev-parse', '--short', 'HEAD') + (isChanged ? ' with changes' : ''),
    machine: `${cpus().length} × ${cpu?.model.trim()}, ${Math.round(totalmem() / 1024 ** 3)} GB, ${process.platform}`,
    node: process.version.slice(1),
  };
}

const only = values.only?.split(',');
const scenarios = SCENARIOS.filter(({ number }) => only?.includes(number) ?? true);
const homes = new Set(scenarios.map(homeOf).filter((home) => home !== null));
const report = reportOf(reports, [...homes]);
const rows = toMatrix(scenarios, report, (file) => readFileSync(join(ROOT, file), 'utf8'));
writeFileSync(values.to, toDocument(rows, circumstances()));
const red = redRows(rows);
console.log(`${values.to}: ${rows.length} failures, ${red.length === 0 ? 'none red' : `red: ${red.join(', ')}`}.`);
process.exitCode = red.length === 0 ? 0 : 1;
