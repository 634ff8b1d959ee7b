// What each notice carries as `data`.
import type { JsonObject } from '../shared/json.ts';

/** Levels of sweeps, the smallest first; `past` reads what `startFrom` asks for. */
export type SweepLevelName = 'recent' | 'settle' | 'reconcile' | 'past';

export type NoticeData = {
  /** A span that could not be read as a whole. Instants are UTC, ISO 8601; `from` is null where the span has no beginning. */
  GapDetected: {
    from: string | null;
    to: string;
    reason: 'outage' | 'refused' | 'unpaged' | 'filtersNotHonoured';
    /** Of the sweep that could not read it; absent for an outage. */
    level?: SweepLevelName;
  };
  /** Entries of one run that showed up later than the recent sweep looks back. */
  LateEntriesFound: { count: number };
  CredentialsRefused: { remedy: string };
  /** `eventId` is `metadata.id` of the entry's event; `reason` the code of the bus, or `Oversize`. */
  EntryQuarantined: { eventId: string; reason: string };
  /** What was taken for a fact and has turned out otherwise; null where nothing was known, or is any more. */
  SourceResponseChanged: { kind: string; before: string | null; after: string | null };
  /** Not published yet. */
  AuditCheckpointCreated: JsonObject;
  /** Not published yet. */
  WebhookEndpointDisabled: JsonObject;
};
