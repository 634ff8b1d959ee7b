// Bundles one function by the options of its construct: the bytes are those that a synthesis of the template makes, some seconds sooner.
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { build, type BuildFailure, type BuildOptions, type Message } from 'esbuild';
import { BUNDLING } from '../constructs/bundling.ts';
import { PROJECT_FOLDER } from './assembly.ts';

/** Contents by file name. */
export type CodeFiles = ReadonlyMap<string, Buffer>;

/** `problems` are lines that name file and place. */
export type Bundled = { files: CodeFiles } | { problems: string[] };

/** `outputFolder` is not written to; the source map tells the way from there to the sources. */
export async function bundle(entry: string, outputFolder: string): Promise<Bundled> {
  try {
    const { outputFiles = [] } = await build(toOptions(entry, outputFolder));
    return { files: new Map(outputFiles.map(({ path, contents }) => [nameOf(path), Buffer.from(contents)])) };
  } catch (error) {
    const { errors } = error as Partial<BuildFailure>;
    return { problems: errors?.map(problemLine) ?? [(error as Error).message] };
  }
}

/** What the CDK writes on the command line of esbuild; a test compares what comes of both. */
function toOptions(entry: string, outputFolder: string): BuildOptions {
  const { format, mainFields, target, minify, sourceMap, sourcesContent } = BUNDLING;
  return {
    absWorkingDir: PROJECT_FOLDER,
    entryPoints: [entry],
    outfile: join(outputFolder, 'index.js'),
    bundle: true,
    platform: 'node',
    format: format as BuildOptions['format'],
    mainFields,
    target,
    minify,
    sourcemap: sourceMap,
    sourcesContent,
    write: false,
    logLevel: 'silent',
  };
}

function problemLine({ text, location }: Message): string {
  return location === null ? text : `${location.file}:${location.line}:${location.column + 1}: ${text}`;
}

/** The handler that a bundle was made of, found by its source map; null for code that was not bundled from a handler of ours. */
export async function entryOf(codeFolder: string): Promise<string | null> {
  const map = await readFile(join(codeFolder, 'index.js.map'), 'utf8').catch(() => null);
  if (map === null) return null;
  const { sources } = JSON.parse(map) as { sources: string[] };
  // Modules stand in the order in which they are needed, so that the entry is the last.
  const handler = sources.findLast((source) => /(?:^|\/)functions\/.*\/handler\.ts$/.test(source));
  return handler === undefined ? null : resolve(PROJECT_FOLDER, handler.replace(/^(?:\.\.\/)+/, ''));
}

export async function readCode(folder: string): Promise<CodeFiles> {
  const names = await readdir(folder);
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)));
}

export function isSameCode(left: CodeFiles, right: CodeFiles): boolean {
  return left.size === right.size && [...left].every(([name, content]) => right.get(name)?.equals(content) === true);
}

function nameOf(path: string): string {
  return path.slice(dirname(path).length + 1);
}
