// The second part of `npm run check:types`: compiles the TypeScript in the documents with the project's settings.
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { documentBlocks, movable } from '../../support/document-blocks.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

// Inside the project, so that imports of the package and its dependencies resolve.
mkdirSync(join(ROOT, '.local'), { recursive: true });
const folder = mkdtempSync(join(ROOT, '.local', 'examples-'));
try {
  const examples = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT }).flatMap(writeExamples);
  const compilerOptions = { moduleDetection: 'force' };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, include: ['**/*.ts'] }),
  );
  const problems = compile();
  if (problems !== '') {
    process.stderr.write(problems);
    process.exitCode = 1;
  } else process.stdout.write(`The ${examples.length} TypeScript examples of the documents compile.\n`);
} finally {
  rmSync(folder, { recursive: true });
}

/** Writes each example of a document as a file with the document's line numbers. */
function writeExamples(path: string): string[] {
  return documentBlocks(path, 'ts').map(({ text, line }) => {
    const [, name = `line-${line}.ts`] = /^\/\/ (\S+\.ts)\n/.exec(text) ?? [];
    mkdirSync(dirname(join(folder, path, name)), { recursive: true });
    writeFileSync(join(folder, path, name), '\n'.repeat(line - 1) + movable(text));
    return name;
  });
}

/** The compiler's messages, with the documents' names; empty if there are none. */
function compile(): string {
  try {
    execFileSync(process.execPath, [TSC, '--project', folder, '--pretty', 'false'], { cwd: ROOT, encoding: 'utf8' });
    return '';
  } catch (error) {
    const { stdout = '' } = error as { stdout?: string };
    if (stdout === '') throw error;
    return stdout.replaceAll(new RegExp(`^\\.local/${basename(folder)}/(.+\\.md)/[^(]+\\(`, 'gm'), '$1(');
  }
}
