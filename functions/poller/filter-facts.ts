// What a page shows of startDate and endDate: whether they include their bound, whether they are honoured at all.
import { formatInstant } from '../membership/timestamps.ts';
import { askedBounds, type Answer } from './ask-page.ts';
import type { IdentifiedEntry } from './entry-identity.ts';
import { filterFormOf, stampUnitMs } from './learned-facts.ts';
import type { Run } from './run.ts';
import type { LearnedFacts, Window } from '../source/state.ts';

/** An entry may lie this far before startDate for other reasons: a wrong zone (14 h), a filter by whole days, a day of slack. */
const STRAY_MS = 48 * 3_600_000;

/** An entry stamped exactly at a bound that came back proves that the filter includes its bound. */
export function learnBounds(
  run: Run,
  window: Window,
  { asked }: Answer,
  entries: readonly IdentifiedEntry[],
): LearnedFacts {
  const { learned } = run.state;
  if (learned.startInclusive !== null && learned.endInclusive !== null) return learned;
  const unitMs = stampUnitMs(learned);
  const bounds = askedBounds(window, unitMs, learned);
  const stamps = new Set(entries.flatMap(({ stamp }) => (stamp ? [Math.floor(stamp.instant / unitMs) * unitMs] : [])));
  const form = filterFormOf(learned);
  const format = { timeZone: run.settings.timeZone, fractionDigits: learned.fractionDigits };
  const proves = (bound: number | null, text: string | null): boolean =>
    bound !== null && stamps.has(bound) && text === formatInstant(bound, form, format);
  return {
    ...learned,
    startInclusive: learned.startInclusive ?? (proves(bounds.from, asked.startDate) ? true : null),
    endInclusive: learned.endInclusive ?? (proves(bounds.to, asked.endDate) ? true : null),
  };
}

/** A witness that did not come back stood at a bound: that filter excludes its bound. Where none did, neither filter is trusted. */
export function learnExclusion(learned: LearnedFacts, { from, to, witnesses }: Window): LearnedFacts {
  const unitMs = stampUnitMs(learned);
  const unitOf = (instant: number): number => Math.floor(instant / unitMs);
  const isMissingAt = (bound: number | null): boolean =>
    bound !== null && witnesses.some(({ at }) => unitOf(at) === unitOf(bound));
  const [atStart, atEnd] = [isMissingAt(from), isMissingAt(to)];
  return {
    ...learned,
    startInclusive: atStart || !atEnd ? false : learned.startInclusive,
    endInclusive: atEnd || !atStart ? false : learned.endInclusive,
  };
}

/** Whether a window would be asked by other bounds than before: it was widened, or more is known of the filters. */
export function isAskedOtherwise(
  [before, knownBefore]: [Window, LearnedFacts],
  [after, knownAfter]: [Window, LearnedFacts],
): boolean {
  const old = askedBounds(before, stampUnitMs(knownBefore), knownBefore);
  const bounds = askedBounds(after, stampUnitMs(knownAfter), knownAfter);
  return bounds.from !== old.from || bounds.to !== old.to;
}

/** startDate does not bound what comes back: most of a page lies far before it. A single entry there may be one with an odd date. */
export function startIsIgnored({ from }: Window, entries: readonly IdentifiedEntry[]): boolean {
  if (from === null) return false;
  const stamps = entries.flatMap(({ stamp }) => (stamp === null ? [] : [stamp.instant]));
  const stray = stamps.filter((instant) => instant < from - STRAY_MS);
  return stray.length * 2 > stamps.length;
}

/** The window without the witnesses that have come back: only the others are still waited for. */
export function withoutMet(window: Window, entries: readonly IdentifiedEntry[]): Window {
  const met = new Set(entries.map(({ id }) => id));
  return { ...window, witnesses: window.witnesses.filter(({ id }) => !met.has(id)) };
}
