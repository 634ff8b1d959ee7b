// `npm run matrix` runs the tests, or reads the given reports, and writes docs/fault-matrix.md. It ends with 1 if a row
// is red.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { toDocument, type Circumstances } from './document.ts';
import { redRows, toMatrix } from './matrix.ts';
import { reportOf, ROOT } from './run-tests.ts';
import { SCENARIOS } from './scenarios.ts';

const PROJECTS = ['unit', 'integration', 'bridge', 'infra', 'simulation'];

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

const report = reportOf(process.argv.slice(2), PROJECTS);
const rows = toMatrix(SCENARIOS, report, (file) => readFileSync(join(ROOT, file), 'utf8'));
writeFileSync(join(ROOT, 'docs/fault-matrix.md'), toDocument(rows, circumstances()));
const red = redRows(rows);
console.log(
  `docs/fault-matrix.md: ${rows.length} failures, ${red.length === 0 ? 'none red' : `red: ${red.join(', ')}`}.`,
);
process.exitCode = red.length === 0 ? 0 : 1;
