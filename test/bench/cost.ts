// `npm run cost`: what the bridge costs in a month on AWS, from what it is counted to use on this machine.
import { execFileSync } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { PROJECT_FOLDER } from '../../infra/local/assembly.ts';
import { toCostReport } from './cost-report.ts';
import { toText } from './cost-text.ts';
import { NoFigures } from './gate.ts';
import { measure } from './measure.ts';

const HELP = `npm run cost -- [--json]

Runs the bridge on this machine, counts what it uses, and prints what AWS would ask for it.
Prints no figures where a run fails, loses an entry or publishes one twice.

  --json   everything as JSON, prices and their sources included`;

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { json: { type: 'boolean' }, help: { type: 'boolean' } } });
  if (values.help === true) {
    console.log(HELP);
    return 0;
  }
  try {
    const report = toCostReport(await measure(process.env), surroundings());
    console.log(values.json === true ? JSON.stringify(report, null, 2) : toText(report));
    return 0;
  } catch (error) {
    if (!(error instanceof NoFigures)) throw error;
    console.error(`No figures. ${error.message}`);
    return 1;
  }
}

function surroundings(): Record<string, string> {
  const processors = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: `commit ${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : ' with changes'}`,
    node: `Node ${process.version}`,
    machine: `${processors.length} x ${processors[0]?.model ?? 'unknown processor'} (${process.arch}), ${Math.round(totalmem() / 1024 ** 3)} GB`,
    // Other work slows the function down, and its time is part of the bill.
    load: `load ${(loadavg()[0] ?? 0).toFixed(1)} at the end`,
  };
}

/** Output of git; "unknown" where there is no repository. */
function git(...args: string[]): string {
  try {
    return execFileSync('git', args, {
      cwd: PROJECT_FOLDER,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'unknown';
  }
}

process.exitCode = await main();
