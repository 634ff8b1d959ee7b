// Checkpoints as the copy has them: which of them are of the right form, and which are the same one.
import type { AuditCheckpoint } from '../../../audit/checkpoint.ts';
import { canonicalJson, type JsonObject, type JsonValue, sha256Hex } from '../../../shared/json.ts';
import type { Place } from './copy.ts';
import { isCalendarDay } from '../period.ts';

/** A checkpoint as it was found, once for each content. */
export type FoundCheckpoint = {
  checkpoint: AuditCheckpoint;
  /** Of all that the line has as data, members unknown to us included. */
  sha256: string;
  place: Place;
};

/** Collects the checkpoints of a copy. */
export type Checkpoints = {
  /** False where the data is none of a checkpoint. */
  add(data: JsonObject, place: Place): boolean;
  /** By number, from the first on. */
  found(): FoundCheckpoint[];
  /** Lines whose checkpoint was there already. */
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
const isInstant = (value: JsonValue | undefined): boolean =>
  typeof value === 'string' && !Number.isNaN(Date.parse(value));
const isDay = (value: JsonValue | undefined): boolean => typeof value === 'string' && isCalendarDay(value);

/** What the check reads of a checkpoint has the form that it relies on. */
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
    [data['amendment'], data['entries'], data['quarantined']].every(isCount) &&
    [data['since'], data['sealedAt']].every(isInstant) &&
    isDay(data['firstDay'])
  );
}
