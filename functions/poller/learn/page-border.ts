// Learning whether a page may begin within the stamp that the page before ended with. Where it begins after it, entries
// that share this stamp stand on no page (S85).
import type { ServiceProfile } from '../../source/service-profile.ts';
import type { IdentifiedEntry } from '../identity/identify.ts';
import { unmetBy, type Walk } from '../walk/walk.ts';
import type { FactChange, ProfileUpdate } from './profile-update.ts';

/** Times that it is asked for in a source's life; what walks show of it is free. */
const MAX_TRIES = 6;
/** Two answers must say so: an entry may be deleted between two requests, or not be shown yet by another server. */
export const ANSWERS_TO_TRUST = 2;
/** Pages of one question, and those in a row without anything new that end it. */
const MAX_PAGES = 8;
const PAGES_TO_END = 2;

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

/** Entries of one stamp on one page, by their content: identical copies look like one entry that is read twice. */
export type Tie = {
  stamp: string;
  instant: number;
  contents: ReadonlySet<string>;
  /** The page is in order of time, so that nothing of the tie comes after an entry of another stamp. */
  isSorted: boolean;
};

/** As many stamps in order are hardly by chance. */
const STAMPS_IN_ORDER = 5;

function isSorted(stamps: readonly number[]): boolean {
  const [up, down] = [1, -1].map((sign) =>
    stamps.every((at, index) => index === 0 || sign * (at - (stamps[index - 1] as number)) >= 0),
  );
  return (up === true || down === true) && new Set(stamps).size >= STAMPS_IN_ORDER;
}

/** The largest tie of a page, where the service must still be asked; null where it need not be, or cannot. */
export function tieToAsk(
  profile: ServiceProfile,
  { entries, continuation }: { entries: readonly IdentifiedEntry[]; continuation: string | null },
): Tie | null {
  const { border = 0 } = profile.pages;
  if (typeof border !== 'number' || border >= MAX_TRIES) return null;
  const isPaged = continuation !== null || profile.continuation.isProven === true;
  if (!isPaged || profile.filters.ignoresStart) return null;
  const stamped = entries.flatMap(({ sha256, stamp }) => (stamp === null ? [] : [{ sha256, stamp }]));
  const sorted = isSorted(stamped.map(({ stamp }) => stamp.instant));
  const ties = [...Map.groupBy(stamped, ({ stamp }) => stamp.text)].map(([stamp, tied]) => {
    const [{ instant } = { instant: 0 }] = tied.map((entry) => entry.stamp);
    return { stamp, instant, contents: new Set(tied.map(({ sha256 }) => sha256)), isSorted: sorted };
  });
  return ties.reduce<Tie | null>((most, tie) => (tie.contents.size > (most?.contents.size ?? 1) ? tie : most), null);
}

/**
 * A question between two requests: the tie is read as a window of its own, in pages that cannot hold it. `hasBorder`: a
 * page has ended within the tie. `noProgress` counts pages in a row without anything new.
 */
export type Question = {
  tie: Tie;
  pageSize: number;
  seen: ReadonlySet<string>;
  hasBorder: boolean;
  noProgress: number;
  pages: number;
};

export function beginQuestion(tie: Tie): Question {
  const pageSize = Math.floor(tie.contents.size / 2);
  return { tie, pageSize, seen: new Set(), hasBorder: false, noProgress: 0, pages: 0 };
}

/** The question after one more page; or its answer, null where nothing shows it. */
export function takeAnswer(
  question: Question,
  { entries, isLast }: { entries: readonly IdentifiedEntry[]; isLast: boolean },
): { next: Question } | { answer: Border | null } {
  const { tie, seen, hasBorder } = question;
  const isTied = ({ stamp }: IdentifiedEntry): boolean => stamp?.text === tie.stamp;
  const fresh = entries.filter(({ sha256 }) => !seen.has(sha256));
  if (hasBorder && fresh.some(isTied)) return { answer: 'kept' };
  const all = new Set([...seen, ...fresh.map(({ sha256 }) => sha256)]);
  if ([...tie.contents].every((content) => all.has(content))) return { answer: null };
  const last = entries.at(-1);
  const next = {
    ...question,
    seen: all,
    hasBorder: hasBorder || (last !== undefined && isTied(last)),
    noProgress: fresh.length === 0 ? question.noProgress + 1 : 0,
    pages: question.pages + 1,
  };
  const hasPassed = tie.isSorted && hasBorder && entries.length > 0 && !entries.some(isTied);
  if (isLast || hasPassed || next.noProgress === PAGES_TO_END) return { answer: next.hasBorder ? 'cut' : null };
  return next.pages === MAX_PAGES ? { answer: null } : { next };
}

/** What the answers to a question, asked twice where one of them says `cut`, show. */
export function learnAnswers(profile: ServiceProfile, answers: readonly (Border | null)[]): ProfileUpdate {
  const { border = 0 } = profile.pages;
  if (typeof border !== 'number') return { profile, changes: [] };
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
