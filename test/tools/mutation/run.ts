// `npm run test:mutation`: changes one thing of the sources at a time and runs the tests that import the changed file, to see whether one of them notices.
// --sample 300 --seed 1 (a random sample), --all, --file functions/poller/walk.ts, --operator flag, --stages unit, --again (runs survivors of before once more),
// --seconds 10 (of tests for each mutant and stage, as they take without one; what is left out can only make the score lower),
// --results .local/mutation.jsonl (a run that was stopped goes on from it), --workers 2.
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readSourceFiles } from '../../support/source-imports.ts';
import { createCrew, type Crew } from './crew.ts';
import { changesOf } from './operators.ts';
import { isOwnTest, STAGES, testsOf, type Stage } from './related-tests.ts';
import { toReport, type Mutant, type Verdict } from './report.ts';
import { shuffled } from './sample.ts';

const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    all: { type: 'boolean', default: false },
    file: { type: 'string', default: '' },
    operator: { type: 'string', default: '' },
    stages: { type: 'string', default: STAGES.join(',') },
    again: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '3600' },
    results: { type: 'string', default: '.local/mutation.jsonl' },
    workers: { type: 'string', default: '2' },
  },
});

const FOLDERS = ['functions/poller', 'functions/membership', 'functions/aws'];
/** On top of three times what the tests take without a mutant. */
const SLACK_MS = 20_000;
/** For one test file without a mutant. */
const LONGEST_MS = 300_000;

const root = resolve(import.meta.dirname, '../../..');
const files = readSourceFiles(root, ['functions', 'infra', 'test']);
const mutants = allMutants();
const chosen = choose(mutants);
const verdicts = readVerdicts();
const pending = chosen.filter(({ id }) => {
  const before = verdicts.get(id);
  return before === undefined || (values.again && before.status === 'survived');
});
mkdirSync(dirname(values.results), { recursive: true });
const durations = new Map<string, number>();
console.log(`${chosen.length} of ${mutants.length} mutants; ${pending.length} of them to be run.`);

const crews = Array.from({ length: Number(values.workers) }, () => createCrew(root));
try {
  await measure(crews[0] as Crew);
  const queue = [...pending];
  await Promise.all(crews.map(async (crew) => await work(crew, queue)));
} finally {
  for (const crew of crews) crew.close();
}
const judged = chosen.flatMap((mutant) => {
  const verdict = verdicts.get(mutant.id);
  return verdict === undefined ? [] : [{ ...mutant, ...verdict }];
});
console.log(toReport(judged, mutants));

function allMutants(): Mutant[] {
  return files
    .filter(({ path }) => FOLDERS.some((folder) => path.startsWith(`${folder}/`)))
    .flatMap(({ path, text }) => {
      const content = createHash('sha256').update(text).digest('hex').slice(0, 12);
      return changesOf(text).map((change) => ({
        // Another text of the file makes other mutants of it: none is taken for one that was run before.
        id: `${path}@${content}:${change.start}-${change.end}:${change.operator}:${change.replacement}`,
        file: path,
        line: text.slice(0, change.start).split('\n').length,
        original: text.slice(change.start, change.end),
        change,
      }));
    });
}

function choose(all: readonly Mutant[]): Mutant[] {
  const fitting = all.filter(
    ({ file, change }) =>
      (values.file === '' || file === values.file) && (values.operator === '' || change.operator === values.operator),
  );
  const isWhole = values.all || values.file !== '';
  return isWhole ? fitting : shuffled(fitting, Number(values.seed)).slice(0, Number(values.sample));
}

function readVerdicts(): Map<string, Verdict> {
  if (!existsSync(values.results)) return new Map();
  const lines = readFileSync(values.results, 'utf8').split('\n');
  return new Map(lines.flatMap((line) => (line === '' ? [] : [toEntry(JSON.parse(line) as Verdict)])));
}

function toEntry(verdict: Verdict): [string, Verdict] {
  return [verdict.id, verdict];
}

function stages(): Stage[] {
  return values.stages.split(',') as Stage[];
}

/** Runs every test file once without a mutant, for how long it takes. One that fails by itself can tell nothing and is left out. */
async function measure(crew: Crew): Promise<void> {
  const tests = new Set(pending.flatMap(({ file }) => stages().flatMap((stage) => testsOf(file, files, stage))));
  for (const test of tests) {
    const outcome = await crew.run({ file: 'functions/shared/clock.ts', change: null, tests: [test] }, LONGEST_MS);
    if (outcome !== null && outcome.killedBy === null) durations.set(test, outcome.durations[test] ?? 0);
    else console.log(`Left out, because it fails without a mutant: ${outcome?.killedBy ?? `${test} takes too long`}`);
  }
}

async function work(crew: Crew, queue: Mutant[]): Promise<void> {
  for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
    const verdict = await judge(crew, mutant);
    verdicts.set(mutant.id, verdict);
    appendFileSync(values.results, `${JSON.stringify(verdict)}\n`);
    const { file, line, change, original } = mutant;
    console.log(
      `${verdict.status.padEnd(8)} ${file}:${line} ${change.operator}: ${original} -> ${change.replacement} (${verdict.ms} ms, ${queue.length} left)`,
    );
  }
}

async function judge(crew: Crew, { id, file, change }: Mutant): Promise<Verdict> {
  const startedAt = performance.now();
  const verdict = (status: Verdict['status'], by: string | null): Verdict => ({
    id,
    status,
    by,
    ms: Math.round(performance.now() - startedAt),
  });
  let isTested = false;
  for (const stage of stages()) {
    const tests = inOrder(file, stage);
    if (tests.length === 0) continue;
    isTested = true;
    const usualMs = tests.reduce((sum, test) => sum + (durations.get(test) ?? 0), 0);
    const outcome = await crew.run({ file, change, tests }, 3 * usualMs + SLACK_MS);
    if (outcome === null) return verdict('timeout', stage);
    if (outcome.killedBy !== null) return verdict(outcome.byTimeout ? 'timeout' : 'killed', outcome.killedBy);
  }
  return verdict(isTested ? 'survived' : 'untested', null);
}

/** The source's own tests first, then those that take the least time, as many as the seconds allow. */
function inOrder(file: string, stage: Stage): string[] {
  const tests = testsOf(file, files, stage).filter((test) => durations.has(test));
  const costMs = (test: string): number => (isOwnTest(test, file) ? 0 : (durations.get(test) ?? 0));
  let leftMs = Number(values.seconds) * 1_000;
  return tests
    .sort((a, b) => costMs(a) - costMs(b))
    .filter((test) => {
      leftMs -= costMs(test);
      return leftMs >= 0;
    });
}
