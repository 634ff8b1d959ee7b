// A run of the tests as Vitest reports it, and reports of earlier runs.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import type { Report } from './matrix.ts';

export const ROOT = resolve(import.meta.dirname, '../../..');

/** Reads the given reports; without any, runs the tests that the arguments of Vitest choose. */
export function reportOf(given: readonly string[], chosen: readonly string[]): Report {
  return given.length === 0 ? runTests(chosen) : { testResults: given.flatMap((path) => readReport(path).testResults) };
}

function runTests(chosen: readonly string[]): Report {
  const folder = mkdtempSync(join(tmpdir(), 'test-report-'));
  const outputFile = join(folder, 'report.json');
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${outputFile}`];
  spawnSync(process.execPath, [vitest, 'run', '--config', 'test/vitest.config.ts', ...chosen, ...reporters], {
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
