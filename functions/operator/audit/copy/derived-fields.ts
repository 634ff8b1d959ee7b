// No hash covers an event's metadata and envelope, so what follows from its entry is computed again.
import { toDetailType } from '../../../events/detail-types.ts';
import {
  hiddenReference,
  readReferences,
  stampAt,
  stampInZone,
  textAt,
  timeFieldsOf,
} from '../../../poller/identity/entry-fields.ts';
import type { JsonObject, JsonValue } from '../../../shared/json.ts';
import { isInstant } from '../period.ts';
import type { Rule } from './kept-settings.ts';

/** An event and its entry, which an event that is too large for the bus does not have. */
type DerivedParts = {
  event: JsonObject;
  metadata: JsonObject;
  entry: JsonObject;
  /** The field from which the event has its time, if it is known already. */
  timeField: string | null;
};

export type Derived = {
  /** What contradicts the entry by every rule, as a clause; null if nothing does. */
  untrue: string | null;
  /** The indices of the rules by which nothing does; null for all. */
  rules: readonly number[] | null;
};

/** Compares an event with its entry, by each of the rules. */
export function derivedFrom(parts: DerivedParts, rules: readonly Rule[]): Derived {
  const found = rules.map((rule) => contradictionTo(rule, parts));
  const agreeing = [...found.keys()].filter((index) => found[index] === null);
  if (agreeing.length === 0) return { untrue: found.at(-1) ?? null, rules: null };
  return { untrue: null, rules: agreeing.length === rules.length ? null : agreeing };
}

function contradictionTo(rule: Rule, parts: DerivedParts): string | null {
  return untrueMetadata(parts, rule) ?? untrueEnvelope(parts, rule);
}

/** The first field of `metadata` that is not what its entry says; null if there is none. */
export function untrueMetadata(parts: Omit<DerivedParts, 'event'>, rule: Rule): string | null {
  const { metadata, entry } = parts;
  const references = readReferences(entry, rule.fields);
  const expected = { ...references, organisationId: references.organisationId ?? rule.organisationId };
  const isOf = (name: string, text: string | null): boolean =>
    metadata[name] === text || (text !== null && metadata[name] === hiddenReference(text));
  const untrue = Object.entries(expected).find(([name, text]) => !isOf(name, text))?.[0];
  if (untrue !== undefined) return notOfEntry(untrue);
  return isStampOf(parts, rule) ? null : notOfEntry('occurredAt');
}

function notOfEntry(name: string): string {
  return `its metadata.${name} is not what its entry says`;
}

function untrueEnvelope({ event, metadata }: DerivedParts, { detailTypes }: Rule): string | null {
  const { actionKey, occurredAt, observedAt } = metadata;
  if (event['detail-type'] !== toDetailType(typeof actionKey === 'string' ? actionKey : null, detailTypes))
    return 'its detail-type is not the one of its action key';
  return isSecondOf(event['time'], occurredAt ?? observedAt) ? null : 'its time is not when it occurred';
}

/** EventBridge writes whole seconds. */
function isSecondOf(time: JsonValue | undefined, instant: JsonValue | undefined): boolean {
  if (typeof time !== 'string' || typeof instant !== 'string') return false;
  if (time === `${instant.slice(0, 19)}Z`) return true;
  const isWritten = isInstant(instant) && [time, time.replace(/Z$/, '.000Z')].some(isInstant);
  return isWritten && Math.abs(Date.parse(time) - Date.parse(instant)) < 1_000;
}

/** Time zones range from UTC-12 to UTC+14. */
const MAX_ZONE_OFFSET_MS = 15 * 3_600_000;

/** A learned field is any whose name may be that of the entry's time; which one was learned is in no setting. */
function isStampOf({ metadata, entry, timeField }: Omit<DerivedParts, 'event'>, rule: Rule): boolean {
  const { occurredAt, occurredAtText } = metadata;
  const { fields, timeZone } = rule;
  const isRead = (stamp: ReturnType<typeof stampAt>): boolean => {
    if (stamp === null) return occurredAt === null && occurredAtText === null;
    if (stamp.text !== occurredAtText || !isInstant(occurredAt)) return false;
    const slack = timeZone === null && stamp.form === 'wall' ? MAX_ZONE_OFFSET_MS : 0;
    return Math.abs(stamp.instant - Date.parse(occurredAt)) <= slack;
  };
  // Events of earlier versions have their time in the zone, whatever the name of its field says.
  const isOf = (pointer: string): boolean =>
    [stampAt, stampInZone].some((read) => isRead(read(entry, pointer, timeZone ?? 'UTC')));
  if (fields.occurredAt !== null) return isOf(fields.occurredAt);
  if (occurredAt === null && occurredAtText === null) return true;
  return (timeField !== null && isOf(timeField)) || timeFieldsOf(entry).some(isOf);
}

/** The field from which an event has its time; if it has none, the fields from which it could. */
export type Times = { used: string | null; unused: readonly string[] };

export const NO_TIMES: Times = { used: null, unused: [] };

/** Finds the fields by their names and texts. `known` are fields from which other events have theirs. */
export function timesOf({ occurredAtText }: JsonObject, entry: JsonObject, known: ReadonlySet<string>): Times {
  const isUsed = (field: string): boolean => textAt(entry, field) === occurredAtText;
  if (occurredAtText !== null)
    return { used: [...known].find(isUsed) ?? timeFieldsOf(entry).find(isUsed) ?? null, unused: [] };
  return { used: null, unused: timeFieldsOf(entry).filter((field) => stampAt(entry, field, 'UTC') !== null) };
}
