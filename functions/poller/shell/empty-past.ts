// Asks again for a past that met nothing (S87): one page, in a run whose live sweep is complete.
import { randomUUID } from 'node:crypto';
import { BridgeError } from '../../shared/errors.ts';
import type { Sweep, Window } from '../../source/state.ts';
import { outlivesRun } from '../request/backoff.ts';
import { continuationOf } from '../request/next-request.ts';
import { OutOfRequests } from '../run/request-budget.ts';
import { warn, type Run } from '../run/run.ts';
import { beginPastAgain, isPastDue, stillEmpty, withoutAnswer } from '../sweep/empty-past.ts';
import { NO_PROGRESS_PAGES_TO_END } from '../walk/walk-end.ts';
import { nextPage } from './fetch-page.ts';
import { deferSweep } from './sweeps.ts';

/**
 * Asks for the past where that is due, and has it read again where the page has entries. A page that does not come
 * fails no run; a run without time or requests for it leaves it to the next. Rejects with what later runs must know.
 */
export async function askEmptyPast(run: Run, queryHash: string): Promise<void> {
  const { record, context } = run;
  const now = context.clock.now();
  const { emptyPast } = record.state;
  if (emptyPast === undefined || !isPastDue(record.state, now)) return;
  const past = beginPastAgain(record.state, context.settings, { now, id: randomUUID(), queryHash });
  run.turn = 'deferred';
  const shown = await lookInto(run, past).catch(asFailure);
  run.turn = 'live';
  if (shown instanceof BridgeError) {
    warn(run, 'The past that met nothing was not answered; it is asked for again in ten minutes.')(shown);
    record.commit({ emptyPast: withoutAnswer(emptyPast, now) });
  }
  if (shown === 'nothing') record.commit({ emptyPast: stillEmpty(emptyPast, now) });
  if (shown !== 'entries') return;
  context.log.info('The past, which met nothing at first, has entries: it is read again.');
  await deferSweep(run, past);
  record.commit({ emptyPast: undefined });
}

/** What the first page of a sweep shows, or one of those after it while they are empty. */
async function lookInto(run: Run, { windows }: Sweep): Promise<'entries' | 'nothing' | 'noTime'> {
  const { record, context, deadline } = run;
  let [window] = windows as [Window];
  for (let pages = 0; pages < NO_PROGRESS_PAGES_TO_END; pages += 1) {
    if (deadline.isOver()) return 'noTime';
    const { page, params } = await nextPage(run, window);
    if (page.entries.length > 0) return 'entries';
    const known = { sent: window.continuation, profile: record.state.profile, settings: context.settings };
    const { value } = continuationOf(page, known);
    if (value === null) return 'nothing';
    window = { ...window, params, continuation: value };
  }
  return 'nothing';
}

function asFailure(error: unknown): BridgeError | 'noTime' {
  if (error instanceof OutOfRequests) return 'noTime';
  if (error instanceof BridgeError && !outlivesRun(error)) return error;
  throw error;
}
