// Reads a unit of time as a window of its own, to count the identical copies in it.
import assert from 'node:assert/strict';
import type { Stamp } from '../../membership/timestamps.ts';
import type { ServiceProfile } from '../../source/service-profile.ts';
import { withoutTransition } from '../learn/pages.ts';
import type { RecountNeeded } from '../sweep/take-page.ts';
import type { Recount } from '../identity/content-duplicates.ts';
import { identifyPage, identityFieldsOf, type IdentifiedEntry } from '../identity/identify.ts';
import { beginRecount, takeRecountPage, unitOf, type RecountStep } from '../known/recount.ts';
import { continuationOf } from '../request/next-request.ts';
import type { Run } from '../run/run.ts';
import { BridgeError } from '../../shared/errors.ts';
import { fetchPage } from './fetch-page.ts';
import { OutOfRequests } from '../run/request-budget.ts';

type Recounting = Pick<Run, 'context' | 'service' | 'record' | 'deadline' | 'counts'>;

/** A unit of time as it was read: its number, the copies in it, and its pages. */
type UnitRead = { unit: number; counts: Recount; pages: readonly (readonly IdentifiedEntry[])[] };

/** The copies in an entry's unit of time. Throws OutOfRequests where this run has no time or request left. */
export async function recountUnit(
  run: Recounting,
  { recount: { stamp }, isTransitionRefuted }: RecountNeeded,
): Promise<UnitRead> {
  assert(stamp !== null, 'Only entries with a stamp are recounted.');
  const profile = (): ServiceProfile =>
    isTransitionRefuted ? withoutTransition(run.record.state.profile) : run.record.state.profile;
  const unit = unitOf(stamp.instant, profile());
  return { unit, ...(await countUnit(run, stamp, profile).catch(noneIfRefused)) };
}

async function countUnit(
  run: Recounting,
  stamp: Stamp,
  profileNow: () => ServiceProfile,
): Promise<Omit<UnitRead, 'unit'>> {
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
  return { counts: step.done, pages: step.pages };
}

function noneIfRefused(error: unknown): Omit<UnitRead, 'unit'> {
  if (error instanceof BridgeError && ['RequestRefused', 'ContinuationRefused'].includes(error.code))
    return { counts: null, pages: [] };
  throw error;
}
