// A process with one copy of the project and one vitest: it inserts a mutant, runs test files until one fails, and
// removes the mutant.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createVitest, type TestModule, type Vitest } from 'vitest/node';
import { applied, type Change } from './operators.ts';

export type Task = { file: string; change: Change | null; tests: readonly string[] };
/** `killedBy` is the first test that failed; null if all passed. */
export type Outcome = { killedBy: string | null; byTimeout: boolean; durations: Record<string, number> };

/** Titles of tests that measure speed, or that take too long. */
const LEFT_OUT = ['tenth of a (?:milli)?second', 'fits into every step', 'deep, as', 'more values than memory'];
const WORTHWHILE = new RegExp(`^(?!.*(?:${LEFT_OUT.join('|')}))`);

class GivenOrder {
  sort<T>(specifications: T[]): T[] {
    return specifications;
  }
  shard<T>(specifications: T[]): T[] {
    return specifications;
  }
}

const root = process.argv[2] ?? '';
const vitest = await createVitest({
  config: false,
  root,
  watch: false,
  include: ['test/**/*.test.ts'],
  setupFiles: ['test/tools/mutation/fresh-modules.ts', 'test/support/own-environment.ts'].map((file) =>
    join(root, file),
  ),
  pool: 'threads',
  isolate: false,
  restoreMocks: true,
  unstubEnvs: true,
  // The tags are those of test/vitest.config.ts.
  strictTags: false,
  fileParallelism: false,
  bail: 1,
  testTimeout: 30_000,
  hookTimeout: 60_000,
  testNamePattern: WORTHWHILE,
  silent: true,
  reporters: [{}],
  sequence: { sequencer: GivenOrder },
});

process.on('message', (task: Task) => {
  void run(vitest, task).then((outcome) => process.send?.(outcome));
});
process.on('disconnect', () => process.exit());
process.send?.('ready');

async function run(vitest: Vitest, { file, change, tests }: Task): Promise<Outcome> {
  const path = join(root, file);
  const source = readFileSync(path, 'utf8');
  if (change !== null) writeFileSync(path, applied(source, change));
  try {
    vitest.invalidateFile(path);
    const [project] = vitest.projects;
    if (project === undefined) throw new Error('vitest has no project.');
    const specifications = tests.map((test) => project.createSpecification(join(root, test)));
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
    // vitest also reports earlier runs with tests that failed under other mutants.
    const asked = testModules.filter(({ moduleId }) => specifications.some((one) => one.moduleId === moduleId));
    return toOutcome(asked, unhandledErrors.length);
  } finally {
    writeFileSync(path, source);
    vitest.invalidateFile(path);
  }
}

function toOutcome(modules: readonly TestModule[], unhandled: number): Outcome {
  const failed = modules.find((module) => module.state() === 'failed');
  const test = failed === undefined ? undefined : [...failed.children.allTests('failed')][0];
  const messages = test?.result().errors?.map(({ message }) => message) ?? [];
  const named = failed && `${failed.relativeModuleId}: ${test?.fullName ?? 'does not load'}`;
  return {
    killedBy: named ?? (unhandled > 0 ? 'an error outside of tests' : null),
    byTimeout: messages.some((message) => /timed out in \d+ms/.test(message)),
    durations: Object.fromEntries(modules.map((module) => [module.relativeModuleId, module.diagnostic().duration])),
  };
}
