// Which two entries are the same one (Assumption A11): by the id that the settings name, by the entry's own id, time
// and action together, or by its content. Nothing learned decides, so an entry has one event id in every run.
import { eventId } from '../../events/event-id.ts';
import type { Stamp } from '../../membership/timestamps.ts';
import { canonicalJson, sha256Hex, type JsonObject } from '../../shared/json.ts';
import type { Bucket } from '../../source/ledger-record.ts';
import type { ServiceProfile } from '../../source/service-profile.ts';
import type { SourceSettings } from '../../source/settings.ts';
import { type EntryKey, readKey, stampAt, textAt, type NamedFields } from './entry-fields.ts';

const BUCKET_MS = 5 * 60_000;

export type IdentifiedEntry = {
  entry: JsonObject;
  /** SHA-256 of the canonical JSON, in hex. */
  sha256: string;
  /**
   * `id`: the field that the settings name holds its id, which alone identifies it. `key`: its own id, time and action
   * do. `content`: it has no id.
   */
  by: 'id' | 'key' | 'content';
  /** What its event id is made of, without the ordinal. */
  identity: string;
  /** The id of its event. */
  id: string;
  /** Position among identical copies, from 0. */
  ordinal: number;
  stamp: Stamp | null;
  bucket: Bucket;
};

export type IdentityFields = {
  sourceId: string;
  /** The setting `fields.id`. */
  idField: string | null;
  /** Where the entry is placed in time; no part of its identity. */
  timeField: string | null;
  timeZone: string;
  /** What the settings name, for keys. */
  named?: NamedFields;
};

export function identityFieldsOf({ fields }: ServiceProfile, settings: SourceSettings): IdentityFields {
  return {
    sourceId: settings.sourceId,
    idField: settings.fields.id,
    timeField: settings.fields.occurredAt ?? fields.time,
    timeZone: settings.timeZone,
    named: settings.fields,
  };
}

/** What event ids are made of. Texts are written as JSON, because in UTF-8 all lone surrogates are equal. */
export const identityTexts = {
  id: (id: string): string => `id:${JSON.stringify(id)}`,
  key: ({ id, time, actionKey }: EntryKey): string => `key:${JSON.stringify([id, time, actionKey])}`,
  content: (sha256: string): string => `sha256:${sha256}`,
  keyAndContent: (key: string, sha256: string): string => `${key} sha256:${sha256}`,
} as const;

/** What the identity of an entry was made of; null where its content is, or is a part of it. */
export function keyIn({ by, identity }: Pick<IdentifiedEntry, 'by' | 'identity'>): EntryKey | null {
  if (by === 'content' || /\] sha256:[0-9a-f]{64}$/.test(identity)) return null;
  const parts = JSON.parse(identity.slice(identity.indexOf(':') + 1)) as
    | string
    | [string, string | null, string | null];
  const [id, time, actionKey] = typeof parts === 'string' ? [parts, null, null] : parts;
  return { id, time, actionKey };
}

/** The bucket of a time as written, read as if it were UTC. */
export function bucketAt(wallMs: number): number {
  return Math.floor(wallMs / BUCKET_MS);
}

/** Identifies the entries of one page, in their order; identical copies are numbered within the page. */
export function identifyPage(entries: readonly JsonObject[], fields: IdentityFields): IdentifiedEntry[] {
  const copies = new Map<string, number>();
  return entries.map((entry) => {
    const identified = identify(entry, fields);
    if (identified.by === 'id') return identified;
    const ordinal = copies.get(identified.sha256) ?? 0;
    copies.set(identified.sha256, ordinal + 1);
    return ordinal === 0 ? identified : asCopy(identified, ordinal, fields.sourceId);
  });
}

function identify(entry: JsonObject, fields: IdentityFields): IdentifiedEntry {
  const sha256 = sha256Hex(canonicalJson(entry));
  const stamp = fields.timeField === null ? null : stampAt(entry, fields.timeField, fields.timeZone);
  const bucket = stamp === null ? null : bucketAt(stamp.wallMs);
  return withIdentity({ entry, sha256, ordinal: 0, stamp, bucket, ...identityOf(entry, sha256, fields) }, fields);
}

function identityOf(
  entry: JsonObject,
  sha256: string,
  { idField, named }: IdentityFields,
): Pick<IdentifiedEntry, 'by' | 'identity'> {
  const id = idField === null ? null : textAt(entry, idField);
  if (id !== null) return { by: 'id', identity: identityTexts.id(id) };
  const key = idField === null ? readKey(entry, named) : null;
  if (key === null) return { by: 'content', identity: identityTexts.content(sha256) };
  return { by: 'key', identity: identityTexts.key(key) };
}

/** The same entry as a further copy of itself. */
export function asCopy(entry: IdentifiedEntry, ordinal: number, sourceId: string): IdentifiedEntry {
  return ordinal === entry.ordinal ? entry : withIdentity({ ...entry, ordinal }, { sourceId });
}

/** The same entry, told from another one of its key by its content. */
export function byKeyAndContent(entry: IdentifiedEntry, sourceId: string): IdentifiedEntry {
  return withIdentity({ ...entry, identity: identityTexts.keyAndContent(entry.identity, entry.sha256) }, { sourceId });
}

function withIdentity(entry: Omit<IdentifiedEntry, 'id'>, { sourceId }: { sourceId: string }): IdentifiedEntry {
  return { ...entry, id: eventId(sourceId, `${entry.identity}#${entry.ordinal}`) };
}

/** The digits of the content that the ledger keeps next to an id. */
export function contentCheck(sha256: string): string {
  return sha256.slice(0, 8);
}
