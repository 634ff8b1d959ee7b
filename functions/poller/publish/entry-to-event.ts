// How an entry becomes an event.
import { toDetailType } from '../../events/detail-types.ts';
import { ACTION_LOG_SOURCE, type BridgeEvent, type EventMetadata } from '../../events/event.ts';
import { toJson, type JsonObject } from '../../shared/json.ts';
import type { IsEcho } from '../../membership/echoes.ts';
import { hiddenReference, readReferences } from '../identity/entry-fields.ts';
import type { IdentifiedEntry } from '../identity/identify.ts';
import type { SourceSettings } from '../../source/settings.ts';

export type EventContext = {
  settings: SourceSettings;
  requestId: string;
  /** ms since 1970. */
  observedAt: number;
  late: boolean;
  backfillId: string | null;
  isEcho?: IsEcho | undefined;
};

/** A shorter secret may be a word of real action keys, which consumers match: those stay verbatim. */
const MIN_HIDDEN = 16;

/** The event of an entry, with the entry as its `data`. `Time` is when it occurred, else when it was observed. */
export function toEvent(entry: IdentifiedEntry, context: EventContext): BridgeEvent {
  return eventOf(entry, toMetadata(entry, context), entry.entry, context);
}

/** The event of an entry too large for the bus: without data. Quarantine keeps the whole entry. */
export function toOversizeEvent(
  entry: IdentifiedEntry,
  context: EventContext,
  oversize: { bytes: number; limitBytes: number },
): BridgeEvent {
  return eventOf(entry, { ...toMetadata(entry, context), oversize }, null, context);
}

/** The metadata of an entry's event. */
export function toMetadata(entry: IdentifiedEntry, context: EventContext): EventMetadata {
  const references = shownReferences(entry.entry, context);
  return {
    id: entry.id,
    version: '1',
    sourceId: context.settings.sourceId,
    organisationId: references.organisationId ?? context.settings.organisationId,
    actionKey: references.actionKey,
    organisationMembershipId: references.organisationMembershipId,
    occurredAt: entry.stamp === null ? null : new Date(entry.stamp.instant).toISOString(),
    occurredAtText: entry.stamp?.text ?? null,
    observedAt: new Date(context.observedAt).toISOString(),
    entrySha256: entry.sha256,
    late: context.late,
    backfillId: context.backfillId,
    requestId: context.requestId,
  };
}

/** Consumers log and show them. One with the token in it, or with a long password, is its digest. */
function shownReferences(entry: JsonObject, { settings, isEcho }: EventContext): ReturnType<typeof readReferences> {
  const shown = (text: string | null): string | null =>
    text !== null && isEcho?.(text, MIN_HIDDEN) === true ? hiddenReference(text) : text;
  const { actionKey, organisationMembershipId, organisationId } = readReferences(entry, settings.fields);
  return {
    actionKey: shown(actionKey),
    organisationMembershipId: shown(organisationMembershipId),
    organisationId: shown(organisationId),
  };
}

function eventOf(
  entry: IdentifiedEntry,
  metadata: EventMetadata,
  data: JsonObject | null,
  { settings, observedAt }: EventContext,
): BridgeEvent {
  return {
    id: entry.id,
    source: ACTION_LOG_SOURCE,
    detailType: toDetailType(metadata.actionKey, settings.detailTypes),
    time: new Date(entry.stamp?.instant ?? observedAt),
    detail: toJson({ metadata, data }),
  };
}
