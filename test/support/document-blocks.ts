// The code blocks of a document.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

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
