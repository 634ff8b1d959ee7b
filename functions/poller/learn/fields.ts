// Learning which field holds the time of an entry.
import type { IsEcho } from '../../membership/echoes.ts';
import type { JsonObject } from '../../shared/json.ts';
import type { ServiceProfile } from '../../source/service-profile.ts';
import type { SourceSettings } from '../../source/settings.ts';
import { learnTimeField, stampShare } from '../identity/entry-fields.ts';
import type { ProfileUpdate } from './profile-update.ts';

/** A time field is given up where fewer of a page's entries than this parse, on a page of at least so many. */
const LOST_TIME_SHARE = 0.5;
const LOST_TIME_ENTRIES = 10;

type Settings = Pick<SourceSettings, 'fields' | 'timeZone'>;

/** Learns which field holds the time. An empty page teaches nothing, nor does a name with a secret in it. */
export function learnFields(
  profile: ServiceProfile,
  entries: readonly JsonObject[],
  settings: Settings,
  isEcho: IsEcho = () => false,
): ProfileUpdate {
  if (settings.fields.occurredAt !== null) return { profile, changes: [] };
  const before = profile.fields.time;
  if (before !== null && !isLostTime(entries, before, settings.timeZone)) return { profile, changes: [] };
  const after = learnTimeField(entries, settings.timeZone);
  if (after === before || after === null || isEcho(after)) return { profile, changes: [] };
  const changes = before === null ? [] : [{ kind: 'timeField', before, after }];
  return { profile: { ...profile, fields: { time: after } }, changes };
}

function isLostTime(entries: readonly JsonObject[], pointer: string, timeZone: string): boolean {
  return entries.length >= LOST_TIME_ENTRIES && stampShare(entries, pointer, timeZone) < LOST_TIME_SHARE;
}
