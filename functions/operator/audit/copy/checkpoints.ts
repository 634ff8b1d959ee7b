// Collects the checkpoints of a copy: it checks their form and removes duplicates.
import type { AuditCheckpoint } from '../../../audit/checkpoint.ts';
import { canonicalJson, type JsonObject, type JsonValue, sha256Hex } from '../../../shared/json.ts';
import type { Place } from '../../bridge/audit-copy.ts';
import { isCalendarDay, isInstant } from '../period.ts';

/** A checkpoint of the copy, once per content. */
export type FoundCheckpoint = {
  checkpoint: AuditCheckpoint;
  /** SHA-256 of the line's whole data, unknown fields included. */
  sha256: string;
  place: Place;
};

/** The checkpoints that were found so far. */
export type Checkpoints = {
  /** Returns false if the data does not have the form of a checkpoint. */
  add(data: JsonObject, place: Place): boolean;
  /** Sorted by number. */
  found(): FoundCheckpoint[];
  /** The number of lines that repeat a checkpoint. */
  duplicates(): number;
};

export function createCheckpoints(): Checkpoints {
  const byHash = new Map<string, FoundCheckpoint>();
  let duplicates = 0;
  return {
    add(data, place) {
      if (!isCheckpoint(data)) return false;
      const sha256 = sha256Hex(canonicalJson(data));
      if (byHash.has(sha256)) duplicates += 1;
      else byHash.set(sha256, { checkpoint: data as AuditCheckpoint, sha256, place });
      return true;
    },
    found: () => [...byHash.values()].sort((a, b) => a.checkpoint.number - b.checkpoint.number),
    duplicates: () => duplicates,
  };
}

const SHA256 = /^[0-9a-f]{64}$/;

const isText = (value: JsonValue | undefined): boolean => typeof value === 'string';
const isNull = (value: JsonValue | undefined): boolean => value === null;
const isHash = (value: JsonValue | undefined): boolean => typeof value === 'string' && SHA256.test(value);
const isCount = (value: JsonValue | undefined): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isDay = (value: JsonValue | undefined): boolean => typeof value === 'string' && isCalendarDay(value);

/** Whether the fields that the check reads have the expected form. */
function isCheckpoint(data: JsonObject): boolean {
  const { number, kind, day, digest, manifest, previousSha256 } = data;
  const isBegin = kind === 'begin';
  if (!isBegin && kind !== 'day' && kind !== 'amendment') return false;
  return (
    isCount(number) &&
    Number(number) >= 1 &&
    (isBegin ? isNull(day) && isNull(digest) : isDay(day) && isHash(digest)) &&
    (isNull(manifest) || isText(manifest)) &&
    (isNull(previousSha256) || isHash(previousSha256)) &&
    isHash(data['settingsSha256']) &&
    [data['amendment'], data['entries'], data['quarantined']].every(isCount) &&
    isInstant(data['since']) &&
    isInstant(data['sealedAt']) &&
    isDay(data['firstDay'])
  );
}
