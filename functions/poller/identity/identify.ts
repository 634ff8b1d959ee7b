// Which two entries are the same one: by the entry's id, else by its content and its ordinal among identical copies.
import { eventId } from '../../events/event-id.ts';
import type { Stamp } from '../../membership/timestamps.ts';
import { canonicalJson, sha256Hex, type JsonObject } from '../../shared/json.ts';
import type { Bucket } from '../../source/ledger-record.ts';
import type { ServiceProfile } from '../../source/service-profile.ts';
import type { SourceSettings } from '../../source/settings.ts';
import { stampAt, textAt } from './entry-fields.ts';

const BUCKET_MS = 5 * 60_000;

export type IdentifiedEntry = {
  entry: JsonObject;
  /** SHA-256 of the canonical JSON, in hex. */
  sha256: string;
  /** The id of its event. */
  id: string;
  /** The entry has an id; otherwise its content and ordinal identify it. */
  hasId: boolean;
  /** Position among identical copies, from 0. */
  ordinal: number;
  /** The event id that an id field refuted since would have given it. */
  formerId: string | null;
  stamp: Stamp | null;
  bucket: Bucket;
};

export type IdentityFields = {
  sourceId: string;
  idField: string | null;
  refutedIdField: string | null;
  timeField: string | null;
  timeZone: string;
};

export function identityFieldsOf({ fields }: ServiceProfile, settings: SourceSettings): IdentityFields {
  return {
    sourceId: settings.sourceId,
    idField: settings.fields.id ?? fields.id,
    refutedIdField: fields.refutedId,
    timeField: settings.fields.occurredAt ?? fields.time,
    timeZone: settings.timeZone,
  };
}

/** Identifies the entries of one page, in their order; identical copies are numbered within the page. */
export function identifyPage(entries: readonly JsonObject[], fields: IdentityFields): IdentifiedEntry[] {
  const copies = new Map<string, number>();
  return entries.map((entry) => {
    const sha256 = sha256Hex(canonicalJson(entry));
    const named = fields.idField === null ? null : textAt(entry, fields.idField);
    const key = named === null ? sha256 : `id:${named}`;
    const ordinal = named === null ? (copies.get(key) ?? 0) : 0;
    copies.set(key, ordinal + 1);
    return identify(entry, { sha256, named, ordinal, fields });
  });
}

function identify(
  entry: JsonObject,
  { sha256, named, ordinal, fields }: { sha256: string; named: string | null; ordinal: number; fields: IdentityFields },
): IdentifiedEntry {
  const stamp = fields.timeField === null ? null : stampAt(entry, fields.timeField, fields.timeZone);
  const former = fields.refutedIdField === null ? null : textAt(entry, fields.refutedIdField);
  return {
    entry,
    sha256,
    id: eventId(fields.sourceId, named === null ? contentIdentity(sha256, ordinal) : nameIdentity(named)),
    hasId: named !== null,
    ordinal,
    formerId: former === null || ordinal > 0 ? null : eventId(fields.sourceId, nameIdentity(former)),
    stamp,
    bucket: stamp === null ? null : Math.floor(stamp.wallMs / BUCKET_MS),
  };
}

/** The same entry as a further copy of itself. */
export function asCopy(entry: IdentifiedEntry, ordinal: number, sourceId: string): IdentifiedEntry {
  const id = eventId(sourceId, contentIdentity(entry.sha256, ordinal));
  return { ...entry, ordinal, id, formerId: ordinal === 0 ? entry.formerId : null };
}

/** Ids are hashed as UTF-8, in which all lone surrogates are equal: two such ids must not become one event. */
function nameIdentity(name: string): string {
  return name.isWellFormed() ? `id:${name}` : `id-utf16:${JSON.stringify(name)}`;
}

function contentIdentity(sha256: string, ordinal: number): string {
  return `sha256:${sha256}#${ordinal}`;
}

/** The digits of the content that the ledger keeps next to an id. */
export function contentCheck(sha256: string): string {
  return sha256.slice(0, 8);
}
