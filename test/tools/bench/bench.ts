// `npm run bench` measures speed, size and delay of the bridge on this machine, and only of runs with a right result.
import { parseArgs } from 'node:util';
import { measureBench, NAMES, type Sizes, type Name } from './bench-report.ts';
import { toText } from './bench-text.ts';
import { NoFigures } from './gate.ts';

const HELP = `npm run bench -- [--only NAME]... [--small] [--entries N] [--json] [--profile FOLDER]

Runs the bridge on this machine and prints how fast it is. Takes about 35 minutes.
Prints no figures if a run fails, loses an entry or publishes one twice.

  --only NAME       one of ${NAMES.join(', ')}; may be given more than once
  --small           small backlogs: five minutes, less exact figures
  --entries N       entries of the backlog that shows the memory (300,000)
  --profile FOLDER  writes the processor profile of each drain there, and prints its time by part
  --json            everything as JSON`;

const WHOLE: Sizes = {
  drainEntries: 100_000,
  heapEntries: 300_000,
  pairs: 20,
  delayHours: 2,
  rateSeconds: 10,
  webhookSeconds: 300,
  forwardEvents: 100_000,
  sources: { count: 200, minuteMs: 20_000, seconds: 180 },
};
const SMALL: Sizes = {
  drainEntries: 5_000,
  heapEntries: 20_000,
  pairs: 5,
  delayHours: 0.25,
  rateSeconds: 2,
  webhookSeconds: 20,
  forwardEvents: 5_000,
  sources: { count: 40, minuteMs: 5_000, seconds: 30 },
};

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true },
      small: { type: 'boolean', default: false },
      entries: { type: 'string' },
      profile: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const only = values.only ?? [];
  const isKnown = only.every((name): name is Name => NAMES.some((known) => known === name));
  const entries = values.entries === undefined ? null : Number(values.entries);
  if (values.help || !isKnown || (entries !== null && !(Number.isInteger(entries) && entries > 0))) {
    console.log(HELP);
    return values.help ? 0 : 2;
  }
  const sizes = values.small ? SMALL : WHOLE;
  try {
    const report = await measureBench({
      names: only.length > 0 ? only : NAMES,
      sizes: { ...sizes, heapEntries: entries ?? sizes.heapEntries },
      profileFolder: values.profile ?? null,
      environment: process.env,
      onStep: (step) => console.error(step),
    });
    console.log(values.json ? JSON.stringify(report, null, 2) : toText(report));
    return 0;
  } catch (error) {
    if (!(error instanceof NoFigures)) throw error;
    console.error(`No figures. ${error.message}`);
    return 1;
  }
}

process.exitCode = await main();
