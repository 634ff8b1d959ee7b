// The code that one function runs during development: bundled again after a save, and replaced if it differs.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundle, type CodeFiles, entryOf } from './bundle.ts';

export type ReloadableFunction = {
  name: string;
  shortName: string;
  codeFolder: string;
  /** For a debugger: the code is not minified. */
  keepNames?: boolean;
};

export type CodePlace = {
  /** Where new code is written. The folder declares its code to be CommonJS. */
  folder: string;
  /** Resolves when no old code runs any more. */
  replaceCode: (functionName: string, codeFolder: string) => Promise<void>;
};

/** `problems` are lines that name file and place. If there are any, the previous code keeps running. */
export type Renewal = { isNew: boolean; problems: string[] };

export class RunningCode {
  readonly shortName: string;
  readonly #name: string;
  readonly #entry: string;
  readonly #keepNames: boolean;
  readonly #place: CodePlace;
  #code: CodeFiles;
  /** The files in the bundle; null if unknown, because there is none yet or the last one failed. */
  #sources: ReadonlySet<string> | null = null;
  #version = 0;
  /** The folder of the running code, if it was written here. */
  #written: string | null = null;

  private constructor(target: ReloadableFunction, place: CodePlace, entry: string, code: CodeFiles) {
    this.shortName = target.shortName;
    this.#name = target.name;
    this.#keepNames = target.keepNames ?? false;
    this.#place = place;
    this.#entry = entry;
    this.#code = code;
  }

  /** Null for a function whose code does not come from one of our handlers. */
  static async of(target: ReloadableFunction, place: CodePlace): Promise<RunningCode | null> {
    const entry = await entryOf(target.codeFolder);
    return entry === null ? null : new RunningCode(target, place, entry, await readCode(target.codeFolder));
  }

  /** Whether a change of these files may change the function. */
  concerns(files: readonly string[]): boolean {
    const sources = this.#sources;
    return sources === null || files.some((file) => sources.has(file));
  }

  async renew(): Promise<Renewal> {
    const next = join(this.#place.folder, `reloaded.${process.pid}.${this.shortName}.${this.#version + 1}`);
    const bundled = await bundle(this.#entry, next, { keepNames: this.#keepNames });
    if ('problems' in bundled) {
      this.#sources = null;
      return { isNew: false, problems: bundled.problems };
    }
    this.#sources = bundled.sources;
    // What lies beside the code, such as channels of the notifier, is made from settings: it stays.
    const files = new Map([...this.#code, ...bundled.files]);
    if (isSame(files, this.#code)) return { isNew: false, problems: [] };
    await writeCode(next, files);
    void this.#handOver(next, this.#written);
    this.#code = files;
    this.#version += 1;
    this.#written = next;
    return { isNew: true, problems: [] };
  }

  /** Removes what was written. The function no longer runs. */
  async close(): Promise<void> {
    if (this.#written !== null) await rm(this.#written, { recursive: true, force: true });
  }

  async #handOver(next: string, before: string | null): Promise<void> {
    await this.#place.replaceCode(this.#name, next);
    if (before !== null) await rm(before, { recursive: true, force: true });
  }
}

/** Writes the code of a function once more, not minified, into `folder`; false if that cannot be done. */
export async function writeWithNames(codeFolder: string, folder: string): Promise<boolean> {
  const entry = await entryOf(codeFolder);
  const bundled = entry === null ? null : await bundle(entry, folder, { keepNames: true });
  if (bundled === null || 'problems' in bundled) return false;
  await writeCode(folder, new Map([...(await readCode(codeFolder)), ...bundled.files]));
  return true;
}

async function writeCode(folder: string, files: CodeFiles): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, content] of files) await writeFile(join(folder, name), content);
}

async function readCode(folder: string): Promise<CodeFiles> {
  const names = await readdir(folder);
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)));
}

function isSame(left: CodeFiles, right: CodeFiles): boolean {
  return left.size === right.size && [...left].every(([name, content]) => right.get(name)?.equals(content) === true);
}
