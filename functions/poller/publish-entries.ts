// From new entries to accepted ones: bus, quarantine and ledger, in groups that bound what a crash can double.
import assert from 'node:assert/strict';
import type { BridgeEvent } from '../events/event.ts';
import { BridgeError } from '../shared/errors.ts';
import { inParallel } from '../shared/in-parallel.ts';
import { toJson } from '../shared/json.ts';
import { deadlineReached, OutOfTime } from './deadline.ts';
import type { IdentifiedEntry } from './entry-identity.ts';
import { toEvent, toMetadata, toOversizeEvent, type EventContext } from './entry-to-event.ts';
import type { PublishOutcome } from '../source/ports.ts';
import type { Run } from './run.ts';

/** Entries that are published and then written down together. */
const GROUP = 50;
/** While one group is written down, the next is on its way to the bus. */
const GROUPS_AT_ONCE = 2;
/** Entries that the bus may have and the ledger not yet: the most that a crash can publish twice. */
export const MOST_UNWRITTEN = GROUP * GROUPS_AT_ONCE;

export type NewEntry = { entry: IdentifiedEntry; late: boolean; backfillId: string | null };

/**
 * Begins to publish entries in the order given. An entry is in the ledger once the bus has accepted it or it lies in quarantine; no more than `MOST_UNWRITTEN` are on their
 * way at any time. Rejects with PublishFailed where the bus took some entries and not others; those it took are in the ledger. Throws OutOfTime where the run's
 * time is over between two groups; the first ones are always published.
 */
export async function publishEntries(run: Run, entries: readonly NewEntry[]): Promise<void> {
  let isOver = false;
  await inParallel(groupsOf(entries), GROUPS_AT_ONCE, async ({ start, group }) => {
    isOver ||= start >= MOST_UNWRITTEN && deadlineReached(run);
    if (!isOver) await publishGroup(run, group);
  });
  if (isOver) throw new OutOfTime('The time of this run is over.');
}

function groupsOf(entries: readonly NewEntry[]): { start: number; group: NewEntry[] }[] {
  const starts = Array.from({ length: Math.ceil(entries.length / GROUP) }, (_, index) => index * GROUP);
  return starts.map((start) => ({ start, group: entries.slice(start, start + GROUP) }));
}

async function publishGroup(run: Run, group: readonly NewEntry[]): Promise<void> {
  const events: BridgeEvent[] = [];
  for (const item of group) events.push(await toFittingEvent(run, item));
  const outcomes = await run.bus.publish(events, { deadlineAt: run.deadline.publishAt, traceHeader: run.traceHeader });
  assert.equal(outcomes.length, group.length, 'The bus tells of every event what became of it.');
  const settled = group.map((item, index) => ({ ...item, day: dayOf(events[index]) }));
  const accepted = settled.filter((_, index) => outcomes[index]?.status === 'accepted');
  await writeDown(run, accepted, { quarantined: false });
  run.counts.eventsPublished += accepted.length;
  // After the accepted ones: a quarantine that fails must not have them published again, run after run.
  await settleRefused(run, refusedOf(settled, outcomes));
  failOnRest(outcomes);
}

/** An entry that has left the pipeline, with the UTC day of its event. */
type SettledEntry = NewEntry & { day: string };

function dayOf(event: BridgeEvent | undefined): string {
  return event?.time.toISOString().split('T')[0] ?? '';
}

/** The trail first: an entry in the ledger is never met again, and one that the trail does not have would look added. */
async function writeDown(
  run: Run,
  settled: readonly SettledEntry[],
  { quarantined }: { quarantined: boolean },
): Promise<void> {
  const trail = settled.map(({ entry: { id, sha256 }, day }) => ({ id, sha256, day, quarantined }));
  if (trail.length > 0) await run.auditTrail?.append(run.settings.sourceId, trail);
  await run.ledger.append(settled.map(({ entry }) => entry));
  run.counts.late += settled.filter(({ late }) => late).length;
  run.counts.futureDated += settled.filter(({ entry }) => isFutureDated(entry, run.clock.now())).length;
}

/** Clocks that differ by less say nothing of an entry. */
const AHEAD_MS = 10 * 60_000;

function isFutureDated({ stamp }: IdentifiedEntry, now: number): boolean {
  return stamp !== null && stamp.instant > now + AHEAD_MS;
}

/** The event of an entry; one over the bus's limit is first kept whole in quarantine and then announced without its data (S42). */
async function toFittingEvent(run: Run, item: NewEntry): Promise<BridgeEvent> {
  const context = eventContext(run, item);
  const event = toEvent(item.entry, context);
  const bytes = run.bus.sizeOf(event);
  if (bytes <= run.bus.maxEntryBytes) return event;
  const message = `The event has ${bytes} bytes; the bus takes ${run.bus.maxEntryBytes}.`;
  await keepInQuarantine(run, item, { reason: 'Oversize', message });
  return toOversizeEvent(item.entry, context, { bytes, limitBytes: run.bus.maxEntryBytes });
}

function eventContext(run: Run, { late, backfillId }: NewEntry): EventContext {
  const { settings, requestId } = run;
  return { settings, requestId, observedAt: run.clock.now(), late, backfillId };
}

type Refused = { item: SettledEntry; code: string; message: string };

function refusedOf(group: readonly SettledEntry[], outcomes: readonly PublishOutcome[]): Refused[] {
  return group.flatMap((item, index) => {
    const outcome = outcomes[index];
    return outcome?.status === 'refused' ? [{ item, code: outcome.code, message: outcome.message }] : [];
  });
}

/** Entries refused for good: first in quarantine, then in the ledger, then announced, so that a bus that refuses the notice too does not hold up the rest. */
async function settleRefused(run: Run, refused: readonly Refused[]): Promise<void> {
  for (const { item, code, message } of refused) await keepInQuarantine(run, item, { reason: code, message });
  await writeDown(
    run,
    refused.map(({ item }) => item),
    { quarantined: true },
  );
  for (const { item, code } of refused) await announce(run, item.entry.id, code);
}

async function announce(run: Run, eventId: string, reason: string): Promise<void> {
  await run.notices.give('EntryQuarantined', eventId, { eventId, reason }).catch((error: unknown) => {
    run.log.warn('The notice of a quarantined entry was not taken by the bus.', { eventId, error });
  });
}

async function keepInQuarantine(
  run: Run,
  item: NewEntry,
  { reason, message }: { reason: string; message: string },
): Promise<void> {
  await run.quarantine.keep({
    eventId: item.entry.id,
    sourceId: run.settings.sourceId,
    reason,
    message,
    entry: toJson(item.entry.entry),
    metadata: JSON.stringify(toMetadata(item.entry, eventContext(run, item))),
    quarantinedAt: run.clock.now(),
  });
  run.counts.quarantined += 1;
  run.log.error('An entry was put into quarantine.', { eventId: item.entry.id, reason });
}

function failOnRest(outcomes: readonly PublishOutcome[]): void {
  const failed = outcomes.filter((outcome) => outcome.status === 'failed');
  const [first] = failed;
  if (!first) return;
  throw new BridgeError(
    'PublishFailed',
    `The bus did not take ${failed.length} of ${outcomes.length} events (${first.code}); the next run publishes them again.`,
    { retryable: true, details: { failed: failed.length, of: outcomes.length, busCode: first.code } },
  );
}
