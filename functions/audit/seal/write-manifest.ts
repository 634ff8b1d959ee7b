// Manifests in the bucket: each is written once, and the object in the bucket is what the checkpoint seals.
import { BridgeError } from '../../shared/errors.ts';
import { manifestKey } from '../bucket-layout.ts';
import type { AuditHead } from '../checkpoint.ts';
import { type Manifest, type ManifestRecord, readManifest, toManifest } from '../manifest.ts';
import type { AuditBucket } from '../ports.ts';
import { moveHead } from './append-checkpoint.ts';
import type { Sealing } from './sealing.ts';

/**
 * Writes a manifest and returns the one to seal: the existing one if another invocation, now ended or concurrent,
 * wrote it first; entries that it lacks become an amendment. The head names the manifest before it is written,
 * because a manifest without a checkpoint would otherwise count as sealed.
 */
export async function writeManifest(
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
  return toManifest(await readManifestRecords(bucket, key));
}

/** Rejects with BucketUnavailable if the object is missing or is no manifest. */
export async function readManifestRecords(bucket: AuditBucket, key: string): Promise<ManifestRecord[]> {
  const text = await bucket.get(key);
  try {
    if (text !== null) return readManifest(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new BridgeError(
    'BucketUnavailable',
    `The manifest ${key} of the audit bucket is missing or was not written by the sealer. Restore its first version.`,
    { retryable: false, details: { key } },
  );
}
