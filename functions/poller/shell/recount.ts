// Reads a unit of time as a window of its own, to count the identical copies in it.
import assert from 'node:assert/strict';
import type { Stamp } from '../../membership/timestamps.ts';
import { filterFormOf, type ServiceProfile } from '../../source/service-profile.ts';
import type { Window } from '../../source/state.ts';
import { withoutTransition } from '../learn/pages.ts';
import type { RecountNeeded } from '../sweep/take-page.ts';
import type { Recount } from '../identity/content-duplicates.ts';
import { identifyPage, identityFieldsOf } from '../identity/identify.ts';
import { beginRecount, takeRecountPage, unitOf, type RecountStep, type UnitPages } from '../known/recount.ts';
import { continuationOf, toParams, type FetchedPage } from '../request/next-request.ts';
import type { Run } from '../run/run.ts';
import { BridgeError } from '../../shared/errors.ts';
import { fetchPage, send } from './fetch-page.ts';
import { OutOfRequests } from '../run/request-budget.ts';

type Recounting = Pick<Run, 'context' | 'service' | 'record' | 'deadline' | 'counts'>;

/** A unit of time as it was read: its number, and the copies in it. */
type UnitRead = UnitPages & { unit: number; counts: Recount };

/**
 * The copies in an entry's unit of time, read in pages of a size; the largest one where absent. Throws OutOfRequests
 * where this run has no time or request left.
 */
export async function recountUnit(
  run: Recounting,
  { recount: { stamp }, isTransitionRefuted }: RecountNeeded,
  pageSize?: number,
): Promise<UnitRead> {
  assert(stamp !== null, 'Only entries with a stamp are recounted.');
  const profile = (): ServiceProfile =>
    isTransitionRefuted ? withoutTransition(run.record.state.profile) : run.record.state.profile;
  const unit = unitOf(stamp.instant, profile());
  const read = async (window: Window): Promise<FetchedPage> =>
    pageSize === undefined ? await fetchPage(run, window) : await fetchInSize(run, window, pageSize);
  return { unit, ...(await countUnit(run, { stamp, profileNow: profile, read }).catch(noneIfRefused)) };
}

async function fetchInSize(run: Recounting, window: Window, pageSize: number): Promise<FetchedPage> {
  const { settings } = run.context;
  const { profile } = run.record.state;
  const params = toParams(window, { form: filterFormOf(profile), pageSize }, { profile, settings });
  const request = { params: window.params ?? params, continuation: window.continuation, variant: null };
  return await send(run, request, { once: true });
}

type Unit = { stamp: Stamp; profileNow: () => ServiceProfile; read: (window: Window) => Promise<FetchedPage> };

async function countUnit(run: Recounting, { stamp, profileNow, read }: Unit): Promise<Omit<UnitRead, 'unit'>> {
  const { context, service, deadline, counts } = run;
  const { settings } = context;
  let step: RecountStep = { next: beginRecount(stamp, profileNow()) };
  while ('next' in step) {
    if (deadline.isOver()) throw new OutOfRequests('The time of this run is over.');
    await service.prefetch.settled();
    const { window } = step.next;
    const { page, params } = await read(window);
    counts.entriesRead += page.entries.length;
    const profile = profileNow();
    const entries = identifyPage(page.entries, identityFieldsOf(profile, settings));
    const { value } = continuationOf(page, { sent: window.continuation, profile, settings });
    step = takeRecountPage(step.next, { entries, params, continuation: value }, profile);
  }
  const { done, pages, isWhole } = step;
  return { counts: done, pages, isWhole };
}

function noneIfRefused(error: unknown): Omit<UnitRead, 'unit'> {
  if (error instanceof BridgeError && ['RequestRefused', 'ContinuationRefused'].includes(error.code))
    return { counts: null, pages: [], isWhole: false };
  throw error;
}
