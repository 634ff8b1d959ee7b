// Tells a line that was altered from one that was added: nothing is altered where the sealed line is there as well, or
// where nothing was sealed under the line's id.
import { finding, type Finding } from '../findings.ts';
import type { AlteredLine, Scan } from '../copy/scan.ts';
import type { Standing } from './days.ts';

type AlteredCheck = {
  findings: Finding[];
  /** Altered by the rules alone: settings that are missing may say so. */
  contradicted: Finding[];
};

export function checkAltered(
  { altered, sealed }: Pick<Scan, 'altered' | 'sealed'>,
  standingOf: (line: AlteredLine) => Standing,
): AlteredCheck {
  const check: AlteredCheck = { findings: [], contradicted: [] };
  for (const line of altered) {
    const { id, day, place, content, how, isByRules } = line;
    const known = sealed.withId(id);
    const isThere = known.some(({ inCopy }) => inCopy);
    const about = { day, place, content };
    if (isThere) check.findings.push(finding('line-added', id, { ...about, how: `${how}; ${IS_THERE}` }));
    else if (known.length === 0 && standingOf(line) === 'added')
      check.findings.push(finding('line-added', id, { ...about, how: `nothing was sealed under its id, and ${how}` }));
    else (isByRules ? check.contradicted : check.findings).push(finding('line-altered', id, { ...about, how }));
  }
  return check;
}

const IS_THERE = 'the line that was sealed under its id is in the copy too';
