// Manifests in the bucket: each is written once, and what is there is what is sealed.
import { BridgeError } from '../../shared/errors.ts';
import { manifestKey } from '../bucket-layout.ts';
import type { AuditHead } from '../checkpoint.ts';
import { type Manifest, type ManifestRecord, readManifest, toManifest } from '../manifest.ts';
import type { AuditBucket } from '../ports.ts';
import { moveHead } from './append-checkpoint.ts';
import type { Sealing } from './sealing.ts';

/**
 * Writes a manifest unless one is there: by an invocation that ended before its checkpoint was in the chain, or by one at the same time. That one is sealed then,
 * and what this one has more of is late. The head names the manifest first: otherwise one whose checkpoint was never made would count as sealed.
 */
export async function settleManifest(
  sealing: Sealing,
  head: AuditHead,
  amending: { day: string; amendment: number },
  manifest: Manifest,
): Promise<Manifest> {
  const { bucket, settings } = sealing;
  const key = manifestKey(settings.sourceId, amending.day, amending.amendment);
  if (head.amending === null) await moveHead(sealing, { ...head, amending });
  if (manifest.entries > 0 && (await bucket.putOnce(key, manifest.text))) return manifest;
  if (manifest.entries === 0 && (await bucket.get(key)) === null) return manifest;
  return toManifest(await readRecords(bucket, key));
}

/** Rejects with BucketUnavailable where the object is none of the sealer's. */
export async function readRecords(bucket: AuditBucket, key: string): Promise<ManifestRecord[]> {
  const text = await bucket.get(key);
  try {
    if (text !== null) return readManifest(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new BridgeError(
    'BucketUnavailable',
    `The manifest ${key} of the audit bucket is gone or was not written by the sealer. Bring its first version back.`,
    { retryable: false, details: { key } },
  );
}
