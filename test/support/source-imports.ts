// The imports of the project's source files, for the tests of import rules.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export type Import = {
  /** The path of our file from the root (`functions/shared/errors.ts`), or the name of a module. */
  target: string;
  names: string[];
  /** The import is removed before the code runs. */
  typeOnly: boolean;
};

/** A source file with its path from the root. */
export type SourceFile = { path: string; text: string };

const STATEMENT =
  /^(?:import|export)\s+(?<kind>type\s+)?(?:(?<clause>[^'"`;]*?)\s*from\s*)?['"](?<specifier>[^'"]+)['"]/gm;
const DYNAMIC = /\bimport\(\s*['"](?<specifier>[^'"]+)['"]\s*\)/g;

/** Each file is parsed once: every rule and every folder asks for its imports. */
const parsed = new WeakMap<SourceFile, Import[]>();

/** Static and dynamic imports, and re-exports, without those in comments. */
export function importsOf(file: SourceFile): Import[] {
  const imports = parsed.get(file) ?? parseImports(file);
  parsed.set(file, imports);
  return imports;
}

function parseImports({ path, text }: SourceFile): Import[] {
  const code = withoutComments(text);
  const statements = [...code.matchAll(STATEMENT), ...code.matchAll(DYNAMIC)];
  return statements.map(({ groups: { kind, clause = '', specifier = '' } = {} }) => ({
    target: specifier.startsWith('.') ? normalize(join(dirname(path), specifier)) : specifier,
    names: namesIn(clause),
    typeOnly: kind !== undefined || isTypesOnly(clause),
  }));
}

/** A line comment begins the line or follows a space, unlike the slashes of a URL. */
export function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1');
}

function namesIn(clause: string): string[] {
  return [...clause.matchAll(/(?:type\s+)?(\w+)(?:\s+as\s+\w+)?\s*(?=[,}])/g)].map(([, name = '']) => name);
}

function isTypesOnly(clause: string): boolean {
  const members = /^\{(?<members>[^}]*)\}$/.exec(clause.trim())?.groups?.['members']?.split(',') ?? [];
  const named = members.map((member) => member.trim()).filter((member) => member !== '');
  return named.length > 0 && named.every((member) => member.startsWith('type '));
}

/** The project's source files in these folders. */
export function readSourceFiles(root: string, folders: readonly string[], endings = '{ts,mjs}'): SourceFile[] {
  const paths = folders.flatMap((folder) => globSync(`${folder}/**/*.${endings}`, { cwd: root }));
  return paths.sort().map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** Groups of files that import each other, directly or through others, types counted; each group sorted. */
export function importCircles(files: readonly SourceFile[]): string[][] {
  return circlesOf(new Map(files.map((file) => [file.path, importsOf(file).map(({ target }) => target)])));
}

/** The same of the folders and files that lie directly in `base`. What is imported from elsewhere does not count. */
export function folderCircles(files: readonly SourceFile[], base: string): string[][] {
  const within = (path: string): string | undefined =>
    path.startsWith(`${base}/`) ? path.slice(base.length + 1).split('/')[0] : undefined;
  const targets = new Map<string, string[]>();
  for (const file of files) {
    const from = within(file.path);
    if (from === undefined) continue;
    const found = importsOf(file).flatMap(({ target }) => within(target) ?? []);
    targets.set(from, [...(targets.get(from) ?? []), ...found.filter((to) => to !== from)]);
  }
  return circlesOf(targets);
}

function circlesOf(targets: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  // Tarjan's algorithm: the least place in the order that a file reaches among those still open.
  const visit = (path: string): number => {
    const place = order.size;
    order.set(path, place);
    open.push(path);
    let least = place;
    for (const target of targets.get(path) ?? []) {
      if (!targets.has(target)) continue;
      if (!order.has(target)) least = Math.min(least, visit(target));
      else if (open.includes(target)) least = Math.min(least, order.get(target) ?? least);
    }
    if (least < place) return least;
    const group = open.splice(open.indexOf(path));
    if (group.length > 1 || targets.get(path)?.includes(path)) circles.push(group.sort());
    return least;
  };
  for (const path of targets.keys()) if (!order.has(path)) visit(path);
  return circles;
}

/** The files that run with `entry`: its direct and indirect imports, without types. */
export function reachableFrom(entry: string, files: readonly SourceFile[]): SourceFile[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Set<SourceFile>();
  const visit = (path: string): void => {
    const file = byPath.get(path);
    if (file === undefined || reached.has(file)) return;
    reached.add(file);
    for (const { target, typeOnly } of importsOf(file)) if (!typeOnly) visit(target);
  };
  visit(entry);
  return [...reached];
}
