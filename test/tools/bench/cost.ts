// `npm run cost` computes the monthly bill on AWS from the bridge's counted use on this machine.
import { parseArgs } from 'node:util';
import { toCostReport } from './cost/cost-report.ts';
import { toText } from './cost/cost-text.ts';
import { NoFigures } from './gate.ts';
import { measure } from './cost/measure.ts';
import { surroundings } from './surroundings.ts';

const HELP = `npm run cost -- [--json]

Runs the bridge on this machine, counts what it uses, and prints what AWS would charge.
Prints no figures if a run fails, loses an entry or publishes one twice.

  --json   everything as JSON, including prices and their sources`;

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

process.exitCode = await main();
