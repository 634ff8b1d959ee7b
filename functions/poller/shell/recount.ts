// Reads a unit of time as a window of its own, to count the identical copies in it.
import assert from 'node:assert/strict';
import type { Stamp } from '../../membership/timestamps.ts';
import type { ServiceProfile } from '../../source/service-profile.ts';
import { withoutTransition } from '../learn/pages.ts';
import type { RecountNeeded } from '../sweep/take-page.ts';
import type { Recount } from '../identity/content-duplicates.ts';
import { identifyPage, identityFieldsOf } from '../identity/identify.ts';
import { beginRecount, takeRecountPage, unitOf, type RecountStep } from '../known/recount.ts';
import { continuationOf } from '../request/next-request.ts';
import type { Run } from '../run/run.ts';
import { BridgeError } from '../../shared/errors.ts';
import { fetchPage } from './fetch-page.ts';
import { OutOfRequests } from '../run/request-budget.ts';

type Recounting = Pick<Run, 'context' | 'service' | 'record' | 'deadline' | 'counts'>;

/** The copies in an entry's unit of time. Throws OutOfRequests where this run has no time or request left. */
export async function recountUnit(
  run: Recounting,
  { recount: { stamp }, isTransitionRefuted }: RecountNeeded,
): Promise<{ unit: number; counts: Recount }> {
  assert(stamp !== null, 'Only entries with a stamp are recounted.');
  const profile = (): ServiceProfile =>
    isTransitionRefuted ? withoutTransition(run.record.state.profile) : run.record.state.profile;
  const unit = unitOf(stamp.instant, profile());
  return { unit, counts: await countUnit(run, stamp, profile).catch(nullIfRefused) };
}

async function countUnit(run: Recounting, stamp: Stamp, profileNow: () => ServiceProfile): Promise<Recount> {
  const { context, service, deadline, counts } = run;
  const { settings } = context;
  let step: RecountStep = { next: beginRecount(stamp, profileNow()) };
  while ('next' in step) {
    if (deadline.isOver()) throw new OutOfRequests('The time of this run is over.');
    await service.prefetch.settled();
    const { window } = step.next;
    const { page, params } = await fetchPage(run, window);
    counts.entriesRead += page.entries.length;
    const profile = profileNow();
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
