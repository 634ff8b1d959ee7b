// Reads units of time as windows of their own, to count the identical copies in them.
import type { Recount } from '../identity/content-duplicates.ts';
import { identifyPage, identityFieldsOf, type IdentifiedEntry } from '../identity/identify.ts';
import { beginRecount, takeRecountPage, unitOf, type RecountStep } from '../identity/recount.ts';
import { continuationOf } from '../request/next-request.ts';
import type { Run } from '../run.ts';
import { BridgeError } from '../../shared/errors.ts';
import { fetchPage } from './fetch-page.ts';
import { OutOfRequests } from './request-budget.ts';

type Recounting = Pick<Run, 'context' | 'service' | 'record' | 'deadline' | 'counts'>;

/**
 * The copies in the unit of time of each entry, by number of the unit. Throws OutOfRequests where this run has no time
 * or no request left: the next runs begin the window again, and split it.
 */
export async function recountUnits(
  run: Recounting,
  entries: readonly IdentifiedEntry[],
): Promise<Map<number, Recount>> {
  const recounts = new Map<number, Recount>();
  for (const { stamp } of entries) {
    if (stamp === null) continue;
    const { profile } = run.record.state;
    recounts.set(unitOf(stamp.instant, profile), await recountUnit(run, stamp).catch(nullIfRefused));
  }
  return recounts;
}

async function recountUnit(run: Recounting, stamp: NonNullable<IdentifiedEntry['stamp']>): Promise<Recount> {
  const { context, service, record, deadline, counts } = run;
  const { settings } = context;
  let step: RecountStep = { next: beginRecount(stamp, record.state.profile) };
  while ('next' in step) {
    if (deadline.isOver()) throw new OutOfRequests('The time of this run is over.');
    await service.prefetch.settled();
    const { window } = step.next;
    const { page, params } = await fetchPage(run, window);
    counts.entriesRead += page.entries.length;
    const { profile } = record.state;
    const entries = identifyPage(page.entries, identityFieldsOf(profile, settings));
    const { value } = continuationOf(page, { sent: window.continuation, profile, settings });
    step = takeRecountPage(step.next, { entries, params, continuation: value }, profile);
  }
  return step.done;
}

function nullIfRefused(error: unknown): null {
  if (error instanceof BridgeError && ['RequestRefused', 'ContinuationRefused'].includes(error.code)) return null;
  throw error;
}
