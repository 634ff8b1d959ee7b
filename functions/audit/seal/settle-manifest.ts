// Manifests in the bucket: each is written once, and what is there is what is sealed.
import { BridgeError } from '../../shared/errors.ts';
import { type Manifest, type ManifestRecord, readManifest, toManifest } from '../manifest.ts';
import type { AuditBucket } from '../ports.ts';

/**
 * Writes a manifest unless one is there: by an invocation that ended before its checkpoint was in the chain, or by one at the same time. That one is sealed then,
 * and what this one has more of is late.
 */
export async function settleManifest(bucket: AuditBucket, key: string, manifest: Manifest): Promise<Manifest> {
  if (await bucket.putOnce(key, manifest.text)) return manifest;
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
