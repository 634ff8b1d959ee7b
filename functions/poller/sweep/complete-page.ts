// A page with what its service leaves out after it (S85): where the next page begins after the last stamp of this one,
// what shares that stamp is read as a unit of time of its own.
import type { ServiceProfile } from '../../source/service-profile.ts';
import type { IdentifiedEntry } from '../identity/identify.ts';
import type { UnitRead } from '../known/recount.ts';
import { cutEntry, learnAnswer, learnUnit, pageSizeToAsk, tieToAsk, withUnit } from '../learn/page-border.ts';
import type { ProfileUpdate } from '../learn/profile-update.ts';
import type { Gap } from '../publish/open-gaps.ts';
import { continuationOf, type FetchedPage } from '../request/next-request.ts';
import type { SourceSettings } from '../../source/settings.ts';

type ShownPage = {
  fetched: FetchedPage;
  entries: IdentifiedEntry[];
  /** The continuation that the page was requested with. */
  sent: string | null;
  /** Units of time that were read for this page. */
  units: readonly UnitRead[] | undefined;
};

/** `cut`: the unit of time after the page has the same border in it, and was not read as a whole. */
export type CompletePage = ProfileUpdate & { entries: IdentifiedEntry[]; cut: Gap | null };

/** A unit of time to read first: in pages of a size, to learn how pages begin; in the largest ones where absent. */
type UnitNeeded = { recount: IdentifiedEntry; isTransitionRefuted: false; pageSize?: number };

/** The complete page; or UnitNeeded: call again with one more unit. */
export function completePage(
  { fetched, entries, sent, units }: ShownPage,
  { profile, settings }: { profile: ServiceProfile; settings: Pick<SourceSettings, 'fields'> },
): CompletePage | UnitNeeded {
  if (units === undefined) return { profile, changes: [], entries, cut: null };
  const { page, params } = fetched;
  const continuation = continuationOf(page, { sent, profile, settings }).value;
  const tie = tieToAsk(profile, { entries, continuation });
  const question = units.find(({ pageSize }) => pageSize !== undefined);
  if (tie !== null && question === undefined)
    return { recount: tie.entry, isTransitionRefuted: false, pageSize: pageSizeToAsk(tie) };
  const learned = tie && question ? learnAnswer(profile, tie, question) : { profile, changes: [] };
  const size = { isLast: continuation === null, pageSize: params.pageSize };
  const last = cutEntry(learned.profile, { entries, ...size });
  if (last === null) return { ...learned, entries, cut: null };
  const unit = units.find(({ pageSize }) => pageSize === undefined);
  if (unit === undefined) return { recount: last, isTransitionRefuted: false };
  const read = learnUnit(learned.profile, last, { pages: unit.pages, others: page.entries.length });
  const at = new Date(last.stamp?.instant ?? 0).toISOString();
  const cut: Gap | null = read.isCut ? { from: at, to: at, reason: 'pageBorder' } : null;
  const changes = [...learned.changes, ...read.changes];
  return { profile: read.profile, changes, entries: withUnit(entries, unit.pages.flat(), last), cut };
}
