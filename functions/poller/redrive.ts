// Publishes entries from quarantine, as an operator asked. They stay there until the operator takes them out.
import { toDetailType } from '../events/detail-types.ts';
import { ACTION_LOG_SOURCE, type BridgeEvent, type EventMetadata } from '../events/event.ts';
import type { Log } from '../shared/log.ts';
import type { AuditTrail, EventBus, QuarantinedEntry } from '../source/ports.ts';
import { MAX_REDRIVEN, type RedriveOutcome } from '../source/redrive.ts';
import type { SourceSettings } from '../source/settings.ts';

type Redriving = {
  settings: SourceSettings;
  /** Resolves to null where the entry is not in quarantine. */
  read: (eventId: string) => Promise<QuarantinedEntry | null>;
  bus: EventBus;
  auditTrail: AuditTrail | null;
  log: Log;
  deadlineAt: number;
};

/** Outcomes in the order of the ids; only the first ten are tried. Rejects with what the ports reject with. */
export async function redrive(redriving: Redriving, eventIds: readonly string[]): Promise<RedriveOutcome[]> {
  const outcomes: RedriveOutcome[] = [];
  for (const eventId of eventIds.slice(0, MAX_REDRIVEN)) outcomes.push(await redriveOne(redriving, eventId));
  redriving.log.info('Published from quarantine.', { outcomes });
  return outcomes;
}

async function redriveOne(
  { settings, read, bus, auditTrail, deadlineAt }: Redriving,
  eventId: string,
): Promise<RedriveOutcome> {
  const kept = await read(eventId);
  if (kept === null) return { eventId, outcome: 'missing' };
  const { event, metadata } = toKeptEvent(kept, settings);
  if (bus.sizeOf(event) > bus.maxEntryBytes) return { eventId, outcome: 'tooLarge' };
  const [result] = await bus.publish([event], { deadlineAt });
  if (result?.status !== 'accepted') return { eventId, outcome: result?.status ?? 'failed', code: result?.code ?? '' };
  const day = event.time.toISOString().split('T')[0] ?? '';
  await auditTrail?.append(settings.sourceId, [{ id: eventId, sha256: metadata.entrySha256, day, quarantined: false }]);
  return { eventId, outcome: 'accepted' };
}

/** The event that the bus refused: metadata and entry to the letter, its detail type by the settings of today. */
export function toKeptEvent(
  kept: Pick<QuarantinedEntry, 'eventId' | 'entry' | 'metadata'>,
  { detailTypes }: Pick<SourceSettings, 'detailTypes'>,
): { event: BridgeEvent; metadata: EventMetadata } {
  const metadata = JSON.parse(kept.metadata) as EventMetadata;
  const event: BridgeEvent = {
    id: kept.eventId,
    source: ACTION_LOG_SOURCE,
    detailType: toDetailType(metadata.actionKey, detailTypes),
    time: new Date(metadata.occurredAt ?? metadata.observedAt),
    detail: `{"metadata":${kept.metadata},"data":${kept.entry}}`,
  };
  return { event, metadata };
}
