// `npm run matrix` runs the tests, or reads the given reports, and writes docs/fault-matrix.md. It ends with 1 if a row
// is red.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { toDocument, type Circumstances } from './document.ts';
import { redRows, toMatrix, type Report } from './matrix.ts';
import { SCENARIOS } from './scenarios.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const PROJECTS = ['unit', 'integration', 'scenarios', 'infra', 'simulation'];

function runTests(): Report {
  const folder = mkdtempSync(join(tmpdir(), 'fault-matrix-'));
  const outputFile = join(folder, 'report.json');
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const projects = PROJECTS.flatMap((project) => ['--project', project]);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${outputFile}`];
  spawnSync(process.execPath, [vitest, 'run', '--config', 'test/vitest.config.ts', ...projects, ...reporters], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  const report = readReport(outputFile);
  rmSync(folder, { recursive: true });
  return report;
}

function readReport(path: string): Report {
  const { testResults } = JSON.parse(readFileSync(path, 'utf8')) as Report;
  return { testResults: testResults.map((result) => ({ ...result, name: relative(ROOT, result.name) })) };
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

const given = process.argv.slice(2).map(readReport);
const report = given.length === 0 ? runTests() : { testResults: given.flatMap(({ testResults }) => testResults) };
const rows = toMatrix(SCENARIOS, report, (file) => readFileSync(join(ROOT, file), 'utf8'));
writeFileSync(join(ROOT, 'docs/fault-matrix.md'), toDocument(rows, circumstances()));
const red = redRows(rows);
console.log(
  `docs/fault-matrix.md: ${rows.length} failures, ${red.length === 0 ? 'none red' : `red: ${red.join(', ')}`}.`,
);
process.exitCode = red.length === 0 ? 0 : 1;
