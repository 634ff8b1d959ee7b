// A link of the chain of checkpoints, its hash, and what is known of the chain's end outside of the bucket.
import type { AuditCheckpointCreatedData } from '../events/catalogue/audit-checkpoint-created.ts';
import { canonicalJson, sha256Hex } from '../shared/json.ts';

/** `data` of AuditCheckpointCreated. */
export type AuditCheckpoint = AuditCheckpointCreatedData;

/** What the state table keeps of the chain. */
export type AuditHead = {
  /** Of the last checkpoint: number and SHA-256. */
  number: number;
  sha256: string;
  /** The first day that no checkpoint has sealed; it and all after it are open. */
  nextDay: string;
  /** As the last checkpoint has them. */
  since: string;
  firstDay: string;
  /** The last checkpoint while it is not known to be on the bus. */
  pending: AuditCheckpoint | null;
  /** The manifest under way, 0 being the day's own: it may be in the bucket before its checkpoint is in the chain. */
  amending: { day: string; amendment: number } | null;
};

/** SHA-256 of a checkpoint's canonical JSON, in hex: `jq -cS .detail.data | tr -d '\n' | sha256sum`. */
export function checkpointSha256(checkpoint: AuditCheckpoint): string {
  return sha256Hex(canonicalJson({ ...checkpoint }));
}
