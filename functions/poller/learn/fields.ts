// Learning which fields hold the id and the time of an entry.
import type { JsonObject } from '../../shared/json.ts';
import type { ServiceProfile } from '../../source/service-profile.ts';
import type { SourceSettings } from '../../source/settings.ts';
import {
  findContradiction,
  findFalseIdField,
  learnIdField,
  learnTimeField,
  stampShare,
  textAt,
} from '../identity/entry-fields.ts';
import { inOrder, type ProfileUpdate } from './profile-update.ts';

/** A time field is given up where fewer of a page's entries than this parse, on a page of at least so many. */
const LOST_TIME_SHARE = 0.5;
const LOST_TIME_ENTRIES = 10;

type Settings = Pick<SourceSettings, 'fields' | 'timeZone'>;

/** Learns which fields hold id and time. An empty page teaches nothing. */
export function learnFields(
  profile: ServiceProfile,
  entries: readonly JsonObject[],
  settings: Settings,
): ProfileUpdate {
  if (entries.length === 0) return { profile, changes: [] };
  return inOrder(profile, [(one) => learnId(one, entries, settings), (one) => learnTime(one, entries, settings)]);
}

/** The profile once the id field was seen to hold something else: identity is by content from now on. */
export function refuteIdField(profile: ServiceProfile): ProfileUpdate {
  const before = profile.fields.id;
  const fields = { ...profile.fields, id: null, refutedId: before };
  return { profile: { ...profile, fields }, changes: [{ kind: 'idField', before, after: null }] };
}

function learnId(profile: ServiceProfile, entries: readonly JsonObject[], settings: Settings): ProfileUpdate {
  const { id: before, refutedId } = profile.fields;
  if (settings.fields.id !== null || refutedId !== null) return { profile, changes: [] };
  if (before === null) return learnFirstId(profile, entries);
  if (findContradiction(entries, before) !== null) return refuteIdField(profile);
  if (entries.some((entry) => textAt(entry, before) !== null)) return { profile, changes: [] };
  const after = learnIdField(entries);
  if (after === null) return { profile, changes: [] };
  const fields = { ...profile.fields, id: after };
  return { profile: { ...profile, fields }, changes: [{ kind: 'idField', before, after }] };
}

/** A field refuted by its first page is never learned: a later page would give the same entries another identity. */
function learnFirstId(profile: ServiceProfile, entries: readonly JsonObject[]): ProfileUpdate {
  const id = learnIdField(entries);
  const refutedId = id === null ? findFalseIdField(entries) : null;
  const changes = refutedId === null ? [] : [{ kind: 'idField', before: refutedId, after: null }];
  return { profile: { ...profile, fields: { ...profile.fields, id, refutedId } }, changes };
}

function learnTime(profile: ServiceProfile, entries: readonly JsonObject[], settings: Settings): ProfileUpdate {
  if (settings.fields.occurredAt !== null) return { profile, changes: [] };
  const before = profile.fields.time;
  if (before !== null && !isLostTime(entries, before, settings.timeZone)) return { profile, changes: [] };
  const after = learnTimeField(entries, settings.timeZone);
  if (after === before || after === null) return { profile, changes: [] };
  const changes = before === null ? [] : [{ kind: 'timeField', before, after }];
  return { profile: { ...profile, fields: { ...profile.fields, time: after } }, changes };
}

function isLostTime(entries: readonly JsonObject[], pointer: string, timeZone: string): boolean {
  return entries.length >= LOST_TIME_ENTRIES && stampShare(entries, pointer, timeZone) < LOST_TIME_SHARE;
}
