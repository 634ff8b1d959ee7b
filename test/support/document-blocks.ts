// The code blocks of a document.
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** A block, its heading, and the number of its first line in the document. */
export type DocumentBlock = { heading: string; text: string; line: number };

/** The blocks of one language, in order. */
export function documentBlocks(path: string, language: string): DocumentBlock[] {
  const document = readFileSync(join(ROOT, path), 'utf8');
  const found = document.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'));
  return [...found].map(({ index, 1: text = '' }) => {
    const before = document.slice(0, index);
    const [, heading = ''] = /[^]*^#{2,3} ([^\n]+)$/m.exec(before) ?? [];
    return { heading, text, line: before.split('\n').length + 1 };
  });
}

/** The block for any folder: its relative imports are those of the file in its first line, such as a handler's. */
export function movable(text: string): string {
  const [, file = ''] = /^\/\/ (\S+\.ts)\n/.exec(text) ?? [];
  return text.replaceAll(
    /from '(\.{1,2}\/[^']+)'/g,
    (_, target: string) => `from '${join(ROOT, dirname(file), target)}'`,
  );
}
