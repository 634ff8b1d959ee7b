// Reload on save: code saved under functions/ runs from the next invocation on, bundled as it would be deployed.
import { stop as stopBundler } from 'esbuild';
import { partsOfTemplate } from './bundle.ts';
import { typeProblems } from './check-types.ts';
import { type CodePlace, type ReloadableFunction, RunningCode } from './running-code.ts';
import { type Saved, watchIngredients } from './watch.ts';

type Say = (line: string) => void;

type Reloading = CodePlace & {
  functions: readonly ReloadableFunction[];
  /** Digests of the files that the functions' code was made from. */
  known: ReadonlyMap<string, string>;
  say: Say;
};

/** Watches until it is closed, and reports nothing after that. A save that cannot be bundled changes nothing. */
export function startReloading(reloading: Reloading): { close: () => Promise<void> } {
  const { functions, known } = reloading;
  const closing = new AbortController();
  const say: Say = (line) => {
    if (!closing.signal.aborted) reloading.say(line);
  };
  const running = functions.map((target) => new RunningCode(target, reloading));
  const checkTypes = createTypeCheck(say, closing.signal);
  const onSaved = async (saved: Saved): Promise<void> => {
    if (await reload(saved, running, say)) void checkTypes(saved);
    await announceNextStart(saved, say);
  };
  const watching = watchIngredients({ known, onSaved, onProblem: say });
  return {
    close: async () => {
      closing.abort();
      await watching.close();
      await stopBundler();
      await Promise.all(running.map(async (code) => await code.close()));
    },
  };
}

/** A check of the types after each save, which ends one that still runs. Code with wrong types runs all the same. */
function createTypeCheck(say: Say, closing: AbortSignal): (saved: Saved) => Promise<void> {
  let last = new AbortController();
  let hadProblems = false;
  return async ({ files }) => {
    if (!files.some(isCode)) return;
    last.abort();
    last = new AbortController();
    const signal = AbortSignal.any([last.signal, closing]);
    const problems = await typeProblems(signal);
    if (signal.aborted) return;
    for (const problem of problems.slice(0, MAX_PROBLEMS)) say(problem);
    if (problems.length > 0) say(`type errors: ${problems.length}; the code runs, and npm run check fails`);
    else if (hadProblems) say('type errors: none any more');
    hadProblems = problems.length > 0;
  };
}

/**
 * Replaces each function as soon as it is bundled, so that a small one does not wait for a large one. Resolves to
 * whether all could be bundled.
 */
async function reload({ files, savedAt }: Saved, running: readonly RunningCode[], say: Say): Promise<boolean> {
  const ours = files.filter(isCode);
  if (ours.length === 0) return true;
  const problems = new Set<string>();
  const renew = async (code: RunningCode): Promise<boolean> => {
    const renewal = await code.renew();
    for (const problem of renewal.problems) problems.add(problem);
    if (renewal.isNew) say(`${code.shortName} reloaded (${((Date.now() - savedAt) / 1000).toFixed(1)} s)`);
    return renewal.isNew;
  };
  const renewed = await Promise.all(running.filter((code) => code.concerns(ours)).map(renew));
  for (const problem of [...problems].slice(0, MAX_PROBLEMS)) say(problem);
  if (problems.size > 0) say('not reloaded: the previous code keeps running until a save can be bundled');
  else if (!renewed.includes(true)) say(`${listed(ours)} saved: no change for the running functions`);
  return problems.size === 0;
}

const MAX_PROBLEMS = 5;

/** The template cannot change while it runs: only half of it could be replaced. */
async function announceNextStart({ files }: Saved, say: Say): Promise<void> {
  const others = files.filter((file) => !isCode(file));
  if (others.length > 0) say(`${listed(others)} saved: takes effect at the next start`);
  if (others.length === files.length) return;
  const both = await partsOfTemplate(files.filter(isCode));
  if (both.length > 0) say(`${listed(both)} saved: its part in the template takes effect at the next start`);
}

function isCode(file: string): boolean {
  return file.startsWith('functions/');
}

/** `a.ts and 2 more` */
function listed([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}
