// What sealer and keeper need of the outside world, beside the event bus and the quarantine: state, trail, chain and bucket. functions/aws implements them.
import type { QuarantinedEntry, TrailRecord } from '../source/ports.ts';
import type { SourceState } from '../source/state.ts';
import type { AuditHead } from './checkpoint.ts';

export type StateReader = {
  /** The state as the poller last wrote it, null before its first run. Rejects with StateUnavailable or StateInvalid. */
  read(sourceId: string): Promise<SourceState | null>;
};

/** Records of one day, as they were appended. */
export type TrailSegment = { key: string; day: string; records: TrailRecord[] };

/** The audit trail from its other end. Each call rejects with StateUnavailable. */
export type TrailReader = {
  /** The first day not before `from` (null: of all) that the trail has something of, null where there is none. */
  firstDay(sourceId: string, from: string | null): Promise<string | null>;
  /** Every segment of the days up to and with `throughDay`, strongly consistent. */
  read(sourceId: string, throughDay: string): Promise<TrailSegment[]>;
  /** Removes segments; one that is gone already is no failure. */
  remove(sourceId: string, segments: readonly Pick<TrailSegment, 'key'>[]): Promise<void>;
};

/** The end of a source's chain of checkpoints, kept where the copy is not. Each call rejects with StateUnavailable or StateInvalid. */
export type CheckpointChain = {
  /** null before the first checkpoint. */
  readHead(sourceId: string): Promise<AuditHead | null>;
  /** Writes `next` where the head is still `previous`, null for none yet; false where another has been faster. */
  replaceHead(sourceId: string, previous: AuditHead | null, next: AuditHead): Promise<boolean>;
};

/** Texts in the audit bucket, gzipped there. Each call rejects with BucketUnavailable. */
export type AuditBucket = {
  /** null where there is no such object. */
  get(key: string): Promise<string | null>;
  /** Writes an object unless there is one with this key, which then stays as it is: false. */
  putOnce(key: string, text: string): Promise<boolean>;
  /** The keys that begin with `prefix`, in their order. */
  list(prefix: string): Promise<string[]>;
};

export type QuarantineReader = {
  /** The entry as it was kept, null where there is none. Rejects with QuarantineFailed. */
  read(sourceId: string, eventId: string): Promise<QuarantinedEntry | null>;
};
