// `npm run test:mutation` changes one thing of the sources at a time and checks that a test that imports it fails.
// test/README.md has the options.
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readSourceFiles } from '../../support/source-imports.ts';
import { createCrew, type Crew } from './crew.ts';
import { changesOf } from './operators.ts';
import { isOwnTest, STAGES, testsOf, type Stage } from './related-tests.ts';
import { toReport, type Mutant, type Verdict } from './report.ts';
import { drawn } from './sample.ts';

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
/** Added to three times the duration of the tests without a mutant. */
const SLACK_MS = 20_000;
/** The limit for one test file without a mutant. */
const MAX_TEST_MS = 300_000;

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
  const tests = testsOfPending();
  await Promise.all(crews.map(async (crew) => await measure(crew, tests)));
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
        // A changed file has other mutants, so results of the old file do not apply.
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
  return isWhole ? fitting : drawn(fitting, Number(values.seed)).slice(0, Number(values.sample));
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

function testsOfPending(): string[] {
  return [...new Set(pending.flatMap(({ file }) => stages().flatMap((stage) => testsOf(file, files, stage))))];
}

/** Measures test files once without a mutant. One that fails is left out. */
async function measure(crew: Crew, tests: string[]): Promise<void> {
  for (let test = tests.shift(); test !== undefined; test = tests.shift()) {
    const outcome = await crew.run({ file: 'functions/shared/clock.ts', change: null, tests: [test] }, MAX_TEST_MS);
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

/** The source's own tests first, then the fastest ones, within the limit of seconds. */
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
