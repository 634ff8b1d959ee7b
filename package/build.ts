// Compiles the exports into dist: one file of JavaScript for each, and the types. npm runs it before it packs.
import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import project from '../package.json' with { type: 'json' };

const FOLDER = import.meta.dirname;
const ROOT = join(FOLDER, '..');
const DIST = join(FOLDER, 'dist');
const TYPES = join(DIST, 'types');

/** A relative import in a declaration. The compiler leaves the ending `.ts`, which not every compiler resolves. */
const RELATIVE_IMPORT = /(from |import\()(['"])(\.[^'"]+)\.ts\2/g;

const MODULES = Object.entries(project.exports).filter(([, path]) => path.endsWith('.ts'));

rmSync(DIST, { recursive: true, force: true });

await build({
  absWorkingDir: ROOT,
  // `./events` becomes `events.js`.
  entryPoints: Object.fromEntries(MODULES.map(([name, path]) => [name.slice(2), path])),
  outdir: DIST,
  bundle: true,
  // The exports share their classes, so that an error of one is an instance for all.
  splitting: true,
  chunkNames: 'shared-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  logLevel: 'warning',
});

const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [compiler, '--project', join(FOLDER, 'tsconfig.types.json')], { stdio: 'inherit' });
const reached = new Set<string>();
for (const [, path] of MODULES) reach(join(TYPES, path.replace('./functions/', '')));
for (const path of globSync('**/*.d.ts', { cwd: TYPES }).map((path) => join(TYPES, path)))
  if (!reached.has(path)) rmSync(path);

copyFileSync(join(ROOT, 'LICENSE'), join(DIST, 'LICENSE'));
copyFileSync(join(ROOT, 'docs/events/events.schema.json'), join(DIST, 'events.schema.json'));

/** Corrects the imports of the declarations of `source`, and goes on with what they import. */
function reach(source: string): void {
  const path = source.replace(/\.ts$/, '.d.ts');
  if (reached.has(path)) return;
  reached.add(path);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replaceAll(RELATIVE_IMPORT, '$1$2$3.js$2'));
  for (const [, , , target = ''] of text.matchAll(RELATIVE_IMPORT)) reach(join(dirname(path), `${target}.ts`));
}
