// The section of docs/operating.md that an alarm names.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_FOLDER } from '../cloudformation/assembly.ts';
import { type GuideSection, sectionOf, titleIn } from '../terminal/guide.ts';

const GUIDE = 'docs/operating.md';

/** Of the alarm with that description. Throws a Problem if there is no such section. */
export function sectionOfAlarm(description: string): GuideSection & { link: string } {
  const section = sectionOf(readFileSync(join(PROJECT_FOLDER, GUIDE), 'utf8'), titleIn(description));
  return { ...section, link: `${GUIDE}#${section.title.toLowerCase().replaceAll(' ', '-')}` };
}
