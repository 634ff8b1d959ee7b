// The test files that run a source file's code: those that import it, the nearest first.
import { importsOf, type SourceFile } from '../../support/source-imports.ts';

/** A stage runs only for mutants that survive the stages before it. */
const STAGE_FILES = {
  unit: /^test\/(?:unit|simulation\/poll)\/.*\.test\.ts$/,
  integration: /^test\/integration\/(?:audit|aws|consumers|deliverer|membership|operator)\/.*\.test\.ts$/,
  /** The real poller in simulated worlds. */
  simulation: /^test\/bridge\/simulation\.test\.ts$/,
} as const;
export type Stage = keyof typeof STAGE_FILES | 'bundle';
export const STAGES = ['unit', 'integration', 'simulation', 'bundle'] as const satisfies readonly Stage[];

/** Tests of the deployed bundle, which do not import the code. They run for files that no other test imports. */
const BUNDLE = {
  entry: 'functions/poller/handler.ts',
  tests: ['metrics', 'idle-poll', 'credentials', 'leases'].map((name) => `test/bridge/${name}.test.ts`),
};

/** The test files of a stage that run a source file's code: its own tests first, then by the number of imports. */
export function testsOf(path: string, files: readonly SourceFile[], stage: Stage): string[] {
  const distances = importersOf(path, files);
  const importing = (pattern: RegExp): string[] => [...distances.keys()].filter((test) => pattern.test(test));
  if (stage === 'bundle') {
    const isRunElsewhere = Object.values(STAGE_FILES).some((pattern) => importing(pattern).length > 0);
    return distances.has(BUNDLE.entry) && !isRunElsewhere ? BUNDLE.tests : [];
  }
  const rank = (test: string): number => (isOwnTest(test, path) ? 0 : (distances.get(test) ?? Infinity));
  return importing(STAGE_FILES[stage]).sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
}

/** Whether a test file is named after the source file. */
export function isOwnTest(test: string, path: string): boolean {
  return test.includes(`/${path.replace(/^functions\//, '').replace(/\.ts$/, '.')}`);
}

/** All files that import `path`, with the number of imports in between. */
function importersOf(path: string, files: readonly SourceFile[]): Map<string, number> {
  const importers = importersByTarget(files);
  const distances = new Map([[path, 0]]);
  // The iteration of a map includes entries that are added meanwhile.
  for (const [reached, distance] of distances)
    for (const importer of importers.get(reached) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1);
  return distances;
}

const known = new WeakMap<readonly SourceFile[], Map<string, string[]>>();

function importersByTarget(files: readonly SourceFile[]): Map<string, string[]> {
  const before = known.get(files);
  if (before !== undefined) return before;
  const importers = new Map<string, string[]>();
  for (const file of files)
    for (const { target, typeOnly } of importsOf(file))
      if (!typeOnly) importers.set(target, [...(importers.get(target) ?? []), file.path]);
  known.set(files, importers);
  return importers;
}
