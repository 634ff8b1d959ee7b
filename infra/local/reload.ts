// Reload on save: whatever is saved under functions/ runs from the next invocation on, as the bundle that would be deployed.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stop as stopBundler } from 'esbuild';
import { bundle, type CodeFiles, entryOf, isSameCode, readCode } from './bundle.ts';
import { type Saved, watchIngredients } from './watch.ts';

export type ReloadableFunction = { name: string; shortName: string; codeFolder: string };

type Reloading = {
  functions: readonly ReloadableFunction[];
  /** Digests of the files that the functions' code was made of. */
  known: ReadonlyMap<string, string>;
  /** Where new code is written: in there is said that it is CommonJS. */
  folder: string;
  replaceCode: (functionName: string, codeFolder: string) => Promise<void>;
  say: (line: string) => void;
};

/** Watches until it is closed. A save that cannot be bundled is told, and the code from before goes on running. */
export async function startReloading(reloading: Reloading): Promise<{ close: () => Promise<void> }> {
  const { functions, known, say } = reloading;
  const running = (await Promise.all(functions.map(async (one) => await toRunning(one, reloading)))).flat();
  const watching = await watchIngredients({
    known,
    onSaved: async (saved) => await reload(saved, running, say),
    onProblem: say,
  });
  return {
    close: async () => {
      await watching.close();
      await stopBundler();
      await Promise.all(running.map(async ({ close }) => await close()));
    },
  };
}

async function reload({ files, savedAt }: Saved, running: readonly Running[], say: Reloading['say']): Promise<void> {
  const laid = files.filter((file) => !file.startsWith('functions/'));
  if (laid.length > 0) say(`${listed(laid)} saved: takes effect at the next start`);
  if (laid.length === files.length) return;
  const outcomes = await Promise.all(
    running.map(async (one) => ({ ...(await one.renew()), shortName: one.shortName })),
  );
  const renewed = outcomes.filter(({ isNew }) => isNew).map(({ shortName }) => shortName);
  const problems = [...new Set(outcomes.flatMap(({ problems }) => problems))];
  for (const problem of problems.slice(0, MOST_PROBLEMS)) say(problem);
  if (problems.length > 0) say('not reloaded: the code from before goes on running until the next good save');
  if (renewed.length > 0) say(`${renewed.join(', ')} reloaded (${((Date.now() - savedAt) / 1000).toFixed(1)} s)`);
  else if (problems.length === 0) say(`${listed(files)} saved: changes no function's code`);
}

const MOST_PROBLEMS = 5;

type Renewal = { isNew: boolean; problems: string[] };

type Running = {
  shortName: string;
  /** Bundles anew, and hands the code over where it is another one. */
  renew: () => Promise<Renewal>;
  /** Removes what was written. */
  close: () => Promise<void>;
};

/** None for a function whose code does not come from a handler of ours. */
async function toRunning(one: ReloadableFunction, { folder, replaceCode }: Reloading): Promise<Running[]> {
  const entry = await entryOf(one.codeFolder);
  if (entry === null) return [];
  let code: CodeFiles = await readCode(one.codeFolder);
  let version = 0;
  let written: string | null = null;
  const removeAfter = async (ended: Promise<void>, path: string | null): Promise<void> => {
    await ended;
    if (path !== null) await rm(path, { recursive: true, force: true });
  };
  const renew = async (): Promise<Renewal> => {
    const next = join(folder, `reloaded.${process.pid}.${one.shortName}.${version + 1}`);
    const bundled = await bundle(entry, next);
    if ('problems' in bundled) return { isNew: false, problems: bundled.problems };
    if (isSameCode(bundled.files, code)) return { isNew: false, problems: [] };
    await mkdir(next, { recursive: true });
    for (const [name, content] of bundled.files) await writeFile(join(next, name), content);
    void removeAfter(replaceCode(one.name, next), written);
    [code, version, written] = [bundled.files, version + 1, next];
    return { isNew: true, problems: [] };
  };
  return [{ shortName: one.shortName, renew, close: async () => await removeAfter(Promise.resolve(), written) }];
}

/** `a.ts and 2 more` */
function listed([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}
