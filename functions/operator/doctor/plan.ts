// Which request comes next, from what is known. Pure: the shell sends it and asks again.
import type { ActionLogQuery } from '../../membership/action-log.ts';
import { formatInstant } from '../../membership/timestamps.ts';
import { isVariantRefused, MAX_PAGE_SIZE, toQuery } from '../../poller/request/next-request.ts';
import type { SourceSettings } from '../../source/settings.ts';
import type { Exchange, Probe, ProbeName } from './exchange.ts';
import { afterWindow, basePage, candidatesOf, continuationFacts } from './facts/continuation.ts';
import { filterFacts } from './facts/dates/filters.ts';
import { directionOf } from './facts/walk.ts';
import { meet, type Met } from './facts/met.ts';
import { acceptedForm, formsToAsk, isWindowAsked, windowQuery } from './facts/dates/window.ts';

const HOUR_MS = 3_600_000;
/** As far as the bridge looks back by default, and rounds of the past: a month, the ledger's life, some days. */
const RECENT_MS = 30 * HOUR_MS;
const PAST_MS = [30, 14, 3].map((days) => days * 24 * HOUR_MS);
const MAX_PAST = 2;
/** The page size where the one in the settings is refused; after it none is sent. */
const SMALLER = 20;

/** A step gives its query as soon as enough is known; null: not yet, or never. `times`: how often it is asked. */
type Step = { name: ProbeName; times: number; query: (met: Met, now: number) => ActionLogQuery | null };

/** The most telling first: what comes after the limit of requests is left out. */
const STEPS: readonly Step[] = [
  { name: 'first', times: 3, query: firstQuery },
  { name: 'small', times: 1, query: smallQuery },
  { name: 'next', times: 2, query: nextQuery },
  { name: 'again', times: 2, query: (met) => repeated(met, 'again') },
  { name: 'largest', times: 1, query: ({ settings }) => pageQuery(settings, MAX_PAGE_SIZE) },
  { name: 'recent', times: 1, query: recentQuery },
  { name: 'window', times: 3, query: nextWindow },
  { name: 'end', times: 1, query: endQuery },
  { name: 'future', times: 1, query: futureQuery },
  { name: 'past', times: MAX_PAST, query: pastQuery },
  { name: 'later', times: 1, query: laterQuery },
];

/** The next request; null where nothing is left to ask. */
export function nextProbe(exchanges: readonly Exchange[], settings: SourceSettings, now: number): Probe | null {
  const met = meet(exchanges, settings);
  for (const { name, times, query } of STEPS) {
    if (exchanges.filter((exchange) => exchange.name === name).length >= times) continue;
    const asked = query(met, now);
    if (asked !== null) return { name, query: asked };
  }
  return null;
}

/** What the bridge sends with every request: the page size and the filters of the settings. */
function pageQuery(settings: SourceSettings, pageSize: number): ActionLogQuery {
  return toQuery({ params: { startDate: null, endDate: null, pageSize }, continuation: null, variant: null }, settings);
}

/** The size of the settings; if it is refused a small one, then none. */
function firstQuery({ settings, exchanges }: Met): ActionLogQuery | null {
  const asked = exchanges.filter(({ name }) => name === 'first');
  if (asked.some(({ answer }) => !('failure' in answer) || !isVariantRefused(answer.failure))) return null;
  if (asked.length === 0) return pageQuery(settings, settings.pageSize);
  if (asked.length === 1 && settings.pageSize > SMALLER) return pageQuery(settings, SMALLER);
  const { pageSize: _pageSize, ...query } = pageQuery(settings, 1);
  return query;
}

function firstPage({ pages }: Met): Met['pages'][number] | null {
  return pages.find(({ name }) => name === 'first') ?? null;
}

/** A third of what is known to be there, so that there must be a next page. */
function smallQuery(met: Met): ActionLogQuery | null {
  const first = firstPage(met);
  if (first === null || first.entries.length < 3 || basePage(met) !== null) return null;
  return pageQuery(met.settings, Math.floor(first.entries.length / 3));
}

/** A candidate that was not tried yet, as long as none leads on. */
function nextQuery(met: Met): ActionLogQuery | null {
  const base = basePage(met);
  if (base === null || continuationFacts(met).works !== null) return null;
  const tried = met.exchanges.filter(({ name }) => name === 'next').map(({ query }) => query.requestContinuation);
  const candidate = candidatesOf(base).find(({ value }) => !tried.includes(value));
  return candidate === undefined ? null : { ...base.query, requestContinuation: candidate.value };
}

/** The last next page once more. */
function repeated({ pages, exchanges }: Met, name: ProbeName): ActionLogQuery | null {
  const next = pages.findLast((page) => page.name === 'next');
  const isAsked = exchanges.some(
    (other) => other.name === name && other.query.requestContinuation === next?.query.requestContinuation,
  );
  return next === undefined || isAsked ? null : next.query;
}

/** The last hours as the bridge asks for them: where the first page does not show the newest entries. */
function recentQuery(met: Met, now: number): ActionLogQuery | null {
  if (directionOf(met) === 'descending') return null;
  return { ...basicQuery(met), startDate: dateOf(met, now - RECENT_MS) };
}

/** The page size that brought the longest page. */
function basicQuery({ pages, settings }: Met): ActionLogQuery {
  const sized = pages.filter(({ query }) => query.startDate === undefined && query.requestContinuation === undefined);
  const best = sized.toSorted((a, b) => b.entries.length - a.entries.length)[0];
  return best?.query ?? pageQuery(settings, settings.pageSize);
}

/** A date as the bridge writes it. */
function dateOf(met: Met, instant: number): string {
  const { profile, settings } = met;
  const { fractionDigits } = profile.stamps;
  return formatInstant(instant, acceptedForm(met), { timeZone: settings.timeZone, fractionDigits });
}

function nextWindow(met: Met): ActionLogQuery | null {
  const form = formsToAsk(met).find((one) => !isWindowAsked(met, one));
  return form === undefined ? null : windowQuery(met, form, basicQuery(met));
}

function endQuery(met: Met): ActionLogQuery | null {
  const { works, end } = continuationFacts(met);
  return works?.from === 'bridge' && end === null ? afterWindow(met) : null;
}

/** From far ahead on: what comes shows that startDate bounds nothing. Asked where the windows leave that open. */
function futureQuery(met: Met, now: number): ActionLogQuery | null {
  const isOpen = met.pages.some(({ name }) => name === 'window') && filterFacts(met).start === null;
  return isOpen ? { ...basicQuery(met), startDate: dateOf(met, now + 10 * 24 * HOUR_MS) } : null;
}

/** Before ever later times, until one shows that the log goes back that far. */
function pastQuery(met: Met, now: number): ActionLogQuery | null {
  const { end } = filterFacts(met);
  if (directionOf(met) === 'ascending' || (end !== 'exact' && end !== 'day')) return null;
  const oldest = met.stamps.reduce((least, { instant }) => Math.min(least, instant), now);
  const asked = met.exchanges.filter(({ name }) => name === 'past');
  const ages = PAST_MS.filter((age) => now - age < oldest);
  const age = ages[asked.length];
  if (age === undefined || met.pages.some(({ name, entries }) => name === 'past' && entries.length > 0)) return null;
  return { ...basicQuery(met), endDate: dateOf(met, now - age) };
}

function laterQuery(met: Met): ActionLogQuery | null {
  return continuationFacts(met).again === 'same' ? repeated(met, 'later') : null;
}
