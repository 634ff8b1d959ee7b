// From new entries to accepted ones: bus, quarantine and ledger, in groups that bound what a crash can double.
import type { BridgeEvent } from '../events/event.ts';
import { BridgeError } from '../shared/errors.ts';
import { toJson } from '../shared/json.ts';
import type { IdentifiedEntry } from './entry-identity.ts';
import { toEvent, toMetadata, toOversizeEvent, type EventContext } from './entry-to-event.ts';
import type { PublishOutcome } from './ports.ts';
import type { Run } from './run.ts';

/** Entries between two writes of the ledger: the most that a crash can publish twice. */
export const LEDGER_GROUP = 100;

export type NewEntry = { entry: IdentifiedEntry; late: boolean; backfillId: string | null };

/**
 * Publishes entries in the order given. An entry is in the ledger once the bus has accepted it or it lies in quarantine, before the next group begins.
 * Rejects with PublishFailed where the bus took some entries and not others; those it took are in the ledger.
 */
export async function publishEntries(run: Run, entries: readonly NewEntry[]): Promise<void> {
  for (let start = 0; start < entries.length; start += LEDGER_GROUP) {
    await publishGroup(run, entries.slice(start, start + LEDGER_GROUP));
  }
}

async function publishGroup(run: Run, group: readonly NewEntry[]): Promise<void> {
  const events: BridgeEvent[] = [];
  for (const item of group) events.push(await toFittingEvent(run, item));
  const outcomes = await run.bus.publish(events, { deadlineAt: run.deadline.at, traceHeader: run.traceHeader });
  const settled: IdentifiedEntry[] = [];
  for (const [index, item] of group.entries()) {
    const outcome = outcomes[index] as PublishOutcome;
    if (outcome.status === 'refused') await quarantineRefused(run, item, outcome);
    if (outcome.status !== 'failed') settled.push(item.entry);
  }
  await run.ledger.append(settled);
  run.counts.eventsPublished += outcomes.filter(({ status }) => status === 'accepted').length;
  run.counts.late += group.filter(({ late }) => late).length;
  await announceRefused(run, group, outcomes);
  failOnRest(outcomes);
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

async function quarantineRefused(
  run: Run,
  item: NewEntry,
  { code, message }: { code: string; message: string },
): Promise<void> {
  await keepInQuarantine(run, item, { reason: code, message });
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

/** Tells of the entries refused for good; after the ledger, so that a bus that refuses the notice too does not hold up the rest. */
async function announceRefused(
  run: Run,
  group: readonly NewEntry[],
  outcomes: readonly PublishOutcome[],
): Promise<void> {
  for (const [index, { entry }] of group.entries()) {
    const outcome = outcomes[index];
    if (outcome?.status !== 'refused') continue;
    const data = { eventId: entry.id, reason: outcome.code };
    await run.notices.give('EntryQuarantined', entry.id, data).catch((error: unknown) => {
      run.log.warn('The notice of a quarantined entry was not taken by the bus.', { eventId: entry.id, error });
    });
  }
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
