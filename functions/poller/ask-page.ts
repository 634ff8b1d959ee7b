// How a window is asked for: the frozen parameters of its walk, and which others are tried where the service refuses them.
import type { ActionLogPage, ActionLogQuery } from '../membership/action-log.ts';
import { findContinuation } from '../membership/continuation.ts';
import { formatWindowEnd, formatWindowStart, type FilterForm } from '../membership/timestamps.ts';
import { BridgeError } from '../shared/errors.ts';
import { filterFormOf, stampUnitMs } from './learned-facts.ts';
import type { Run } from './run.ts';
import type { SourceSettings } from '../source/settings.ts';
import type { LearnedFacts, Window } from '../source/state.ts';

/** The largest page size the bridge asks for. */
export const LARGEST_PAGE = 1_000;
/** Statuses by which a service may refuse the form of a date or a page size. */
const REFUSAL_STATUSES = [400, 422];
const SMALLER_PAGES = [50, 20, 10, 5, 2, 1];

export type Asked = { startDate: string | null; endDate: string | null; pageSize: number };
export type Answer = { page: ActionLogPage; asked: Asked };

/** Another way to ask the same: the form of dates and the page size. */
export type Manner = { form: FilterForm; pageSize: number };

/**
 * Reads the next page of a window. A walk in progress is only ever continued with the very parameters that began it (S07, S20); at its start a refusal of
 * the form of dates or of the page size is answered by trying the others, and the one that worked is remembered.
 */
export async function askPage(run: Run, window: Window): Promise<Answer> {
  if (window.asked !== null && window.continuation !== null) {
    return { page: await send(run, window.asked, window.continuation), asked: window.asked };
  }
  let refusal: unknown = null;
  for (const manner of mannersToTry(run.state.learned, run.settings, window)) {
    const asked = toAsked(window, manner, run);
    try {
      const page = await send(run, asked, null);
      run.state = { ...run.state, learned: rememberManner(run.state.learned, window, manner, run.settings) };
      return { page, asked };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusal ??= error;
    }
  }
  throw refusal;
}

async function send(run: Run, asked: Asked, continuation: string | null): Promise<ActionLogPage> {
  await run.budget.ready();
  return await run.actionLog.readPage(toQuery(asked, continuation, run.settings), {
    timeoutMs: run.deadline.requestMs(),
  });
}

export function toQuery(asked: Asked, continuation: string | null, settings: SourceSettings): ActionLogQuery {
  return {
    pageSize: asked.pageSize,
    ...(settings.actionKeys === null ? {} : { actionKeys: settings.actionKeys }),
    ...(settings.organisationMembershipId === null
      ? {}
      : { organisationMembershipId: settings.organisationMembershipId }),
    ...(asked.startDate === null ? {} : { startDate: asked.startDate }),
    ...(asked.endDate === null ? {} : { endDate: asked.endDate }),
    ...(continuation === null ? {} : { requestContinuation: continuation }),
  };
}

function isRefusal(error: unknown): boolean {
  return (
    error instanceof BridgeError &&
    error.code === 'RequestRefused' &&
    REFUSAL_STATUSES.includes(Number(error.details['status']))
  );
}

/**
 * The manners of asking, the accepted one first; the others only where the service refuses it. Which of the two it refuses is not told, so every form of
 * dates is tried with a page size before a smaller one is: the largest that the service takes is remembered.
 */
export function mannersToTry(learned: LearnedFacts, settings: SourceSettings, window: Window): Manner[] {
  const preferred = filterFormOf(learned);
  const hasDates = window.from !== null || window.to !== null;
  const forms = hasDates ? new Set<FilterForm>([preferred, 'offset', 'wall', 'utc']) : [preferred];
  const size = pageSizeOf(learned, settings);
  const smaller = SMALLER_PAGES.filter((least) => least < size);
  const sizes = new Set([...(window.largest ? [LARGEST_PAGE] : []), size, ...smaller]);
  return [...sizes].flatMap((pageSize) => [...forms].map((form) => ({ form, pageSize })));
}

/** The page size that the service has taken for the one in the settings. */
export function pageSizeOf({ pageSize }: LearnedFacts, settings: SourceSettings): number {
  return pageSize?.asked === settings.pageSize ? pageSize.taken : settings.pageSize;
}

function rememberManner(learned: LearnedFacts, window: Window, manner: Manner, settings: SourceSettings): LearnedFacts {
  const hasDates = window.from !== null || window.to !== null;
  const wasTried = hasDates && (learned.filterForm !== null || manner.form !== filterFormOf(learned));
  return {
    ...learned,
    ...(wasTried ? { filterForm: manner.form, filterFormAccepted: true } : {}),
    ...(window.largest ? {} : { pageSize: { asked: settings.pageSize, taken: manner.pageSize } }),
  };
}

/** The parameters of a window's walk, as they will be sent with each of its pages. */
export function toAsked(window: Window, { form, pageSize }: Manner, run: Run): Asked {
  const { learned } = run.state;
  const bounds = askedBounds(window, stampUnitMs(learned), learned);
  const format = { timeZone: run.settings.timeZone, fractionDigits: learned.fractionDigits };
  return {
    startDate: bounds.from === null ? null : formatWindowStart(bounds.from, form, format),
    endDate: bounds.to === null ? null : formatWindowEnd(bounds.to, form, format),
    pageSize,
  };
}

export type Bounds = { from: number | null; to: number | null };
type Inclusion = Pick<LearnedFacts, 'startInclusive' | 'endInclusive'>;

/** The day of a bound, and the next one: in any zone. */
const WIDE_MS = 2 * 24 * 3_600_000;

/**
 * The bounds as they are asked: of a widened window a unit further out, save on a side whose filter is known to include its bound. Neighbours that nobody
 * wants would fill the page where a unit holds more entries than a page does.
 */
export function askedBounds({ from, to, widen, wide }: Window, unitMs: number, known: Inclusion): Bounds {
  if (wide) return { from: from === null ? null : from - WIDE_MS, to: to === null ? null : to + WIDE_MS };
  return {
    from: from === null || known.startInclusive === true ? from : from - widen * unitMs,
    to: to === null || known.endInclusive === true ? to : to + widen * unitMs,
  };
}

/** The continuation of a page: at the place in the settings, else where it was learned to be, else at any candidate. */
export function continuationOf(
  run: Run,
  page: ActionLogPage,
  sent: string | null,
): { place: string | null; value: string | null } {
  const fixed = run.settings.fields.continuation;
  return findContinuation(page, fixed ?? run.state.learned.continuation, { sent, fixed: fixed !== null });
}
