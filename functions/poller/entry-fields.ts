// Which field of an entry is which. The interface names the record but not its fields (Assumption A3), so they are settings or learned.
import { parseStamp } from '../membership/timestamps.ts';
import { canonicalJson, isJsonObject, scalarText, valueAt, type JsonObject, type JsonValue } from '../shared/json.ts';

/** An id of the entry itself, in the order of trust; never of a member, an organisation or whatever was acted on. */
const ID_NAMES = [
  /^_?id$/i,
  /^(uuid|guid)$/i,
  /^(action)?_?log(_?entry)?_?id$/i,
  /^(entry|record|audit)_?(log_?)?id$/i,
  /^activity_?(log_?)?id$/i,
];
const TIME_NAMES = [
  /(occurred|logged|performed|happened).*(at|on|date|time|unix|utc)?$/i,
  /creat(ed|ion)/i,
  /timestamp/i,
  /^(action|log|entry|event)?_?(date|time)(_?time)?(_?(utc|unix))?$/i,
  /(date|time|unix)/i,
];
const NOT_A_LOG_TIME = /(updat|modif|birth|start|end|due|expir|valid|zone|delet|lifetime|sometime)/i;
const ACTION_KEY_NAMES = [
  /^action_?key$/i,
  /^action$/i,
  /^(action|event|activity)_?(type|name|code)$/i,
  /^key$/i,
  /^type$/i,
];
const MEMBERSHIP_NAMES = [/^organi[sz]ation_?membership_?id$/i, /^membership_?id$/i, /^member_?id$/i];
const ORGANISATION_NAMES = [/^organi[sz]ation_?id$/i, /^org_?id$/i, /^tenant_?id$/i];

/** A time field must parse in this share of the entries of a page. */
const TIME_SHARE = 0.9;

/** The pointers of an entry's own members and of those one level down, the shallow ones first. */
function scalarPointers(entry: JsonObject): { name: string; pointer: string; value: JsonValue }[] {
  const own = members(entry, '');
  const nested = own.flatMap(({ pointer, value }) => (isJsonObject(value) ? members(value, pointer) : []));
  return [...own, ...nested].filter(({ value }) => scalarText(value) !== null);
}

function members(object: JsonObject, prefix: string): { name: string; pointer: string; value: JsonValue }[] {
  return Object.entries(object).map(([name, value]) => ({
    name,
    pointer: `${prefix}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    value,
  }));
}

function candidates(entries: readonly JsonObject[], names: readonly RegExp[], refused?: RegExp): string[] {
  const pointers = new Map<string, string>();
  for (const entry of entries)
    for (const { name, pointer } of scalarPointers(entry)) if (!refused?.test(name)) pointers.set(pointer, name);
  return names.flatMap((pattern) => [...pointers].filter(([, name]) => pattern.test(name)).map(([pointer]) => pointer));
}

/** The pointer of the entries' id: a field so named that no two different entries of the page share a value of. */
export function learnIdField(entries: readonly JsonObject[]): string | null {
  return candidates(entries, ID_NAMES).find((pointer) => findContradiction(entries, pointer) === null) ?? null;
}

/** The id that two entries of different content share, or null. */
export function findContradiction(entries: readonly JsonObject[], pointer: string): string | null {
  const contents = new Map<string, string>();
  for (const entry of entries) {
    const id = textAt(entry, pointer);
    if (id === null) continue;
    const content = canonicalJson(entry);
    if ((contents.get(id) ?? content) !== content) return id;
    contents.set(id, content);
  }
  return null;
}

/** The pointer of the time of the entries: a field named for date, time, created or Unix that parses in nine of ten entries. */
export function learnTimeField(entries: readonly JsonObject[], timeZone: string): string | null {
  const parses = (pointer: string): boolean => stampShare(entries, pointer, timeZone) >= TIME_SHARE;
  return candidates(entries, TIME_NAMES, NOT_A_LOG_TIME).find(parses) ?? null;
}

/** The share of entries whose field is a stamp; 0 for no entries. */
export function stampShare(entries: readonly JsonObject[], pointer: string, timeZone: string): number {
  const stamped = entries.filter((entry) => stampAt(entry, pointer, timeZone) !== null).length;
  return entries.length === 0 ? 0 : stamped / entries.length;
}

export function stampAt(entry: JsonObject, pointer: string, timeZone: string): ReturnType<typeof parseStamp> {
  const value = valueAt(entry, pointer);
  const name = pointer.slice(pointer.lastIndexOf('/') + 1);
  return parseStamp(value, { timeZone, unix: typeof value !== 'string' || /unix|epoch/i.test(name) });
}

export type FieldSettings = {
  actionKey: string | null;
  organisationMembershipId: string | null;
  organisationId: string | null;
};

/** What an event repeats of its entry, verbatim; null where the entry has no such field. */
export function readReferences(
  entry: JsonObject,
  fields: FieldSettings,
): { actionKey: string | null; organisationMembershipId: string | null; organisationId: string | null } {
  return {
    actionKey: pick(entry, fields.actionKey, ACTION_KEY_NAMES),
    organisationMembershipId: pick(entry, fields.organisationMembershipId, MEMBERSHIP_NAMES),
    organisationId: pick(entry, fields.organisationId, ORGANISATION_NAMES),
  };
}

function pick(entry: JsonObject, pointer: string | null, names: readonly RegExp[]): string | null {
  if (pointer !== null) return textAt(entry, pointer);
  const [first] = candidates([entry], names);
  return first === undefined ? null : textAt(entry, first);
}

/** The text of a string or number at a pointer; null for anything else and for blank text. */
export function textAt(entry: JsonObject, pointer: string): string | null {
  const text = scalarText(valueAt(entry, pointer));
  return text === null || text.trim() === '' ? null : text;
}
