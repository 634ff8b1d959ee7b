// The blocks of code in a document.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** The blocks of a language, in order, each with the heading that it stands under. */
export function documentBlocks(path: string, language: string): { heading: string; text: string }[] {
  const sections = readFileSync(join(ROOT, path), 'utf8').split(/^#{2,3} /m);
  return sections.flatMap((section) => {
    const [heading = ''] = section.split('\n');
    const found = section.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'));
    return [...found].map(([, text = '']) => ({ heading, text }));
  });
}
