// Learning whether a page may begin within the stamp that the page before ended with. Where it begins after it, entries
// that share this stamp stand on no page (S85).
import type { ServiceProfile } from '../../source/service-profile.ts';
import type { IdentifiedEntry } from '../identity/identify.ts';
import type { UnitPages } from '../known/recount.ts';
import { freshWalk, unmetBy, type Walk, withPage } from '../walk/walk.ts';
import { mayBeCut } from './pages.ts';
import type { FactChange, ProfileUpdate } from './profile-update.ts';

/** Times that it is asked for in a source's life; what walks show of it is free. */
const MAX_TRIES = 6;
/** Two answers must say so: an entry may be deleted between two requests, or not be shown yet by another server. */
export const ANSWERS_TO_TRUST = 2;

export type Border = 'kept' | 'cut';

/** A page that begins, with an entry not met yet, with the stamp that the page before ended with is the proof. */
export function learnKeptBorder(
  profile: ServiceProfile,
  walk: Pick<Walk, 'met' | 'lastStamp'>,
  entries: readonly IdentifiedEntry[],
): ServiceProfile {
  if (profile.pages.border === 'kept' || walk.lastStamp === null) return profile;
  const [first] = unmetBy(walk, entries);
  return first?.stamp?.text === walk.lastStamp ? withBorder(profile, 'kept') : profile;
}

/** The same proof in the walk through a unit of time: a server that lags behind may have answered otherwise. */
export function learnFromUnit(profile: ServiceProfile, pages: UnitPages['pages']): ServiceProfile {
  let [learned, walk] = [profile, freshWalk()];
  for (const page of pages) [learned, walk] = [learnKeptBorder(learned, walk, page), withPage(walk, page)];
  return learned;
}

/** Entries of one stamp on a page: one of them, and their contents. Copies look like one entry that comes twice. */
export type Tie = { entry: IdentifiedEntry; contents: ReadonlySet<string> };

/** The largest tie of a page, where the service must still be asked; null where it need not be, or cannot. */
export function tieToAsk(
  profile: ServiceProfile,
  { entries, continuation }: { entries: readonly IdentifiedEntry[]; continuation: string | null },
): Tie | null {
  const { border = 0 } = profile.pages;
  if (typeof border !== 'number' || border >= MAX_TRIES) return null;
  const isPaged = continuation !== null || profile.continuation.isProven === true;
  if (!isPaged || profile.filters.ignoresStart) return null;
  const stamped = entries.filter(({ stamp }) => stamp !== null);
  const ties = [...Map.groupBy(stamped, ({ stamp }) => stamp?.text).values()].map((tied) => ({
    entry: tied[0] as IdentifiedEntry,
    contents: new Set(tied.map(({ sha256 }) => sha256)),
  }));
  return ties.reduce<Tie | null>((most, tie) => (tie.contents.size > (most?.contents.size ?? 1) ? tie : most), null);
}

/** Pages of this size cannot hold the tie. */
export function pageSizeToAsk({ contents }: Tie): number {
  return Math.floor(contents.size / 2);
}

/** What the pages of the tie's unit of time show; null where nothing does. */
export function answerOf({ entry, contents }: Tie, { pages, isWhole }: UnitPages): Border | null {
  const isTied = ({ stamp }: IdentifiedEntry): boolean => stamp?.text === entry.stamp?.text;
  const border = pages.findIndex((page) => page.some(isTied) && isTied(page.at(-1) as IdentifiedEntry));
  if (border === -1) return null;
  const shownOn = (some: typeof pages): Set<string> =>
    new Set(
      some
        .flat()
        .filter(isTied)
        .map(({ sha256 }) => sha256),
    );
  const before = shownOn(pages.slice(0, border + 1));
  if (!shownOn(pages.slice(border + 1)).isSubsetOf(before)) return 'kept';
  return isWhole && !contents.isSubsetOf(before) ? 'cut' : null;
}

/** What the answers to a question, asked twice where one of them says `cut`, show; undefined: one did not come. */
export function learnAnswers(profile: ServiceProfile, answers: readonly (Border | null | undefined)[]): ProfileUpdate {
  const { border = 0 } = profile.pages;
  if (typeof border !== 'number' || answers.length === 0 || answers.includes(undefined))
    return { profile, changes: [] };
  if (answers.includes('kept')) return { profile: withBorder(profile, 'kept'), changes: [] };
  const isCut = answers.filter((answer) => answer === 'cut').length >= ANSWERS_TO_TRUST;
  if (!isCut) return { profile: withBorder(profile, border + 1), changes: [] };
  return { profile: withBorder(profile, 'cut'), changes: [BORDER_CUT] };
}

const BORDER_CUT: FactChange = { kind: 'pageBorder', before: 'within a time', after: 'after it' };

function withBorder(profile: ServiceProfile, border: Border | number): ServiceProfile {
  return { ...profile, pages: { ...profile.pages, border } };
}

/**
 * The last entry of a page whose unit of time must be read by itself, because the next page begins after it; null for
 * none.
 */
export function cutEntry(
  profile: ServiceProfile,
  { entries, isLast, pageSize }: { entries: readonly IdentifiedEntry[]; isLast: boolean; pageSize: number },
): IdentifiedEntry | null {
  if (profile.pages.border !== 'cut' || (isLast && entries.length < pageSize)) return null;
  return entries.findLast(({ stamp }) => stamp !== null) ?? null;
}

/** Whether a unit of time, read in the largest pages, has the same border in it: its first page ends there, full. */
export function isUnitCut(
  profile: ServiceProfile,
  { stamp }: Pick<IdentifiedEntry, 'stamp'>,
  { pages: [shown = []], others }: Pick<UnitPages, 'pages'> & { others: number },
): boolean {
  return shown.at(-1)?.stamp?.text === stamp?.text && mayBeCut(profile, shown.length, others);
}

/** The page with what else has the stamp that it ends with. */
export function withUnit(
  entries: readonly IdentifiedEntry[],
  unit: readonly IdentifiedEntry[],
  { stamp: last }: Pick<IdentifiedEntry, 'stamp'>,
): IdentifiedEntry[] {
  const ids = new Set(entries.map(({ id }) => id));
  const added = unit.filter(({ id, stamp }) => stamp?.text === last?.text && !ids.has(id));
  return [...entries, ...new Map(added.map((entry) => [entry.id, entry])).values()];
}
