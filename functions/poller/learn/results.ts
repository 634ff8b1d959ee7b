// Learning whether the service shows only a window of results: a walk ends after so many entries, whatever is left (S84).
import type { ServiceProfile } from '../../source/service-profile.ts';
import type { Shown, Window } from '../../source/state.ts';
import type { FactChange, ProfileUpdate } from './profile-update.ts';

/** Walks in a row that must end after as many entries: one may end too early for another reason. */
const WALKS_TO_TRUST = 2;
/** For so long, a walk that is no longer than one with nothing beyond it is not asked for more. */
const WHOLE_MS = 24 * 3_600_000;

type Pages = ServiceProfile['pages'];

/** The entries that the service shows of a window at most; null while nothing shows that there is such a number. */
export function resultsWindow({ pages: { results } }: ServiceProfile): number | null {
  return results !== undefined && results.walks >= WALKS_TO_TRUST ? results.entries : null;
}

/** Whether a walk as long as this one had nothing beyond it within the last day. */
export function isWhole(profile: ServiceProfile, { entries, earliest, latest }: Shown, now: number): boolean {
  const { whole } = profile.pages;
  if (whole === undefined || now - whole.since >= WHOLE_MS || entries >= (resultsWindow(profile) ?? Infinity))
    return false;
  const isSame = entries === whole.entries && earliest === whole.earliest && latest === whole.latest;
  return entries < whole.entries || isSame;
}

/** Learns from a window beyond a walk, once it is read; `isTied`: it has shown one unit of time alone. */
export function learnResults(
  profile: ServiceProfile,
  { beyond }: Pick<Window, 'beyond'>,
  { isTied, startedAt }: { isTied: boolean; startedAt: number },
): ProfileUpdate {
  if (beyond === undefined) return { profile, changes: [] };
  const { walk, unmet } = beyond;
  if (unmet === 0) return { profile: isTied ? profile : withWhole(profile, walk, startedAt), changes: [] };
  const { results, whole, ...pages } = profile.pages;
  const walks = results?.entries === walk.entries ? Math.min(results.walks + 1, WALKS_TO_TRUST) : 1;
  const next = withPages(profile, {
    ...pages,
    ...(whole !== undefined && whole.entries < walk.entries && { whole }),
    results: { entries: walk.entries, walks },
  });
  return { profile: next, changes: changeOf(profile, next) };
}

/** A walk that goes on beyond such a number refutes it. */
export function learnLonger(profile: ServiceProfile, { shown }: Pick<Window, 'shown'>): ProfileUpdate {
  const { results, ...pages } = profile.pages;
  if (results === undefined || (shown?.entries ?? 0) <= results.entries) return { profile, changes: [] };
  const next = withPages(profile, pages);
  return { profile: next, changes: changeOf(profile, next) };
}

function withWhole(profile: ServiceProfile, { entries, earliest, latest }: Shown, since: number): ServiceProfile {
  const { whole, results } = profile.pages;
  const isLonger = whole === undefined || entries >= whole.entries || since - whole.since >= WHOLE_MS;
  // The other side of the same walk may have shown more.
  if (!isLonger || results?.entries === entries) return profile;
  return withPages(profile, { ...profile.pages, whole: { entries, earliest, latest, since } });
}

function withPages(profile: ServiceProfile, pages: Pages): ServiceProfile {
  return { ...profile, pages };
}

function changeOf(before: ServiceProfile, after: ServiceProfile): FactChange[] {
  const [old, now] = [before, after].map((profile) => String(resultsWindow(profile) ?? 'none'));
  return old === now ? [] : [{ kind: 'resultsWindow', before: old ?? null, after: now ?? null }];
}
