// The section of docs/operating.md that an alarm names.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_FOLDER } from '../cloudformation/assembly.ts';

const GUIDE = 'docs/operating.md';

/** Of the alarm with that description. Throws if there is no such section. `text` is Markdown. */
export function sectionOf(description: string): { title: string; link: string; text: string } {
  const [, title = ''] = /"([^"]+)" in docs\/operating\.md/.exec(description) ?? [];
  const [, rest] = readFileSync(join(PROJECT_FOLDER, GUIDE), 'utf8').split(`\n### ${title}\n`);
  if (rest === undefined) throw new Error(`${GUIDE} has no section "${title}".`);
  const [text = ''] = rest.split(/\n##+ /);
  return { title, link: `${GUIDE}#${title.toLowerCase().replaceAll(' ', '-')}`, text: text.trim() };
}

/** A paragraph of Markdown on one line, links by their text. What follows a colon is not shown. */
export function plain(paragraph: string): string {
  const line = paragraph.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/\s*\n\s*/g, ' ');
  return line.replace(/:$/, '.');
}
