// The heart of the poller: what a page means. Pure: it says what to report, to publish and to store, and
// functions/poller/shell does it.
import type { Gap } from '../publish/open-gaps.ts';
import type { ActiveSweep } from '../walk/active-sweep.ts';
import { afterPage } from './after-page.ts';
import type { PageInput, RecountNeeded } from './page-input.ts';
import { takePage, type TakenPage } from './take-page.ts';

/**
 * What a page leads to, in the order in which the shell carries it out: `changes`, contradictions to report, then
 * `profile`; `baseline`; `respelled`; `publish`; `zoneShift`; `known`; `gap`, a span to report as not read; `next`, the
 * sweep afterwards.
 */
export type Step = Omit<TakenPage, 'active' | 'read'> & { gap: Gap | null; next: ActiveSweep };

/** What the page means; or RecountNeeded: call again with one more count in `recounts`. */
export function decideStep(input: PageInput): Step | RecountNeeded {
  const taken = takePage(input);
  if ('recount' in taken) return taken;
  const { settings, now } = input;
  const { active, read, profile, changes, ...ofEntries } = taken;
  const after = afterPage(active, read, { profile, settings, now });
  return {
    ...ofEntries,
    changes: [...changes, ...after.changes],
    profile: after.profile,
    gap: after.gap,
    next: after.active,
  };
}
