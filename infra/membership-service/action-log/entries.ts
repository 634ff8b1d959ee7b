// Turns changes of the organisation into entries of the action log.
import type { Personality } from '../personality/personality.ts';
import { happens, uuidFrom, type Random } from '../random.ts';
import { stampAt, stampJson } from './stamps.ts';
import type { Zone } from '../../shared/zone.ts';

/** A change of the organisation. */
export type Change = {
  actionKey: string;
  /** The member it is about; null for the organisation itself. */
  member: { name: string; organisationMembershipId: string } | null;
  performedBy: string;
  details: Readonly<Record<string, string | number | null>>;
  /** Where it happened. Default: in the organisation that the service is about. */
  organisationId?: string;
  /** When it happened, in true ms since 1970. Default: now. */
  at?: number;
  /** Overrides of what the personality would draw. */
  stampedAheadMs?: number;
  visibleAfterMs?: number;
};

export type LoggedEntry = {
  /** 1, 2, 3, ... in order of writing. */
  serial: number;
  /** True instant, ms since 1970. */
  createdAt: number;
  /** No page shows the entry before this instant (ms). */
  visibleAt: number;
  /** Its stamp, in microseconds since 1970. */
  stampedMicros: number;
  actionKey: string;
  organisationMembershipId: string | null;
  /** Only for an entry of another organisation. */
  organisationId?: string;
  /** The JSON text of the entry, exactly as pages show it. */
  json: string;
};

export type EntryWriter = (change: Change, serial: number, now: number) => LoggedEntry;

/** `random` draws lateness and stamps ahead of time. */
export function createEntryWriter(options: {
  seed: number;
  organisationId: string;
  personality: Personality;
  zone: Zone;
  random: Random;
}): EntryWriter {
  const { seed, organisationId, personality, zone, random } = options;
  return (change, serial, now) => {
    const createdAt = Math.floor(change.at ?? now);
    const late = happens(random, personality.lateness.share) ? Math.ceil(random() * personality.lateness.maxMs) : 0;
    const ahead = happens(random, personality.futureDated.share) ? personality.futureDated.aheadMs : 0;
    const stampedMs = createdAt + personality.clockSkewMs + (change.stampedAheadMs ?? ahead);
    const stampedMicros = stampAt(stampedMs, personality.stamps.fractionDigits);
    return {
      serial,
      createdAt,
      visibleAt: createdAt + (change.visibleAfterMs ?? late),
      stampedMicros,
      actionKey: change.actionKey,
      organisationMembershipId: change.member?.organisationMembershipId ?? null,
      ...(isElsewhere(change, organisationId) ? { organisationId: change.organisationId } : {}),
      json: entryJson(change, personality, {
        id: idJson(personality.ids, seed, serial),
        time: stampJson(stampedMicros, personality.stamps, zone),
        organisation: JSON.stringify(change.organisationId ?? organisationId),
      }),
    };
  };
}

function isElsewhere(change: Change, organisationId: string): change is Change & { organisationId: string } {
  return change.organisationId !== undefined && change.organisationId !== organisationId;
}

/** The same content, letter for letter, at another place of the log. */
export function duplicateOf(entry: LoggedEntry, serial: number): LoggedEntry {
  return { ...entry, serial };
}

/** Every field is invented: the interface document does not show ActionLogApiDto. Only the id identifies an entry. */
function entryJson(
  change: Change,
  { fieldNames }: Personality,
  texts: { id: string | null; time: string; organisation: string },
): string {
  const members: [string, string][] = [
    ...(texts.id === null ? [] : [[fieldNames.id, texts.id] satisfies [string, string]]),
    [fieldNames.time, texts.time],
    [fieldNames.actionKey, JSON.stringify(change.actionKey)],
    [fieldNames.organisation, texts.organisation],
    [fieldNames.membership, JSON.stringify(change.member?.organisationMembershipId ?? null)],
    [fieldNames.memberName, JSON.stringify(change.member?.name ?? null)],
    [fieldNames.performedBy, JSON.stringify(change.performedBy)],
    [fieldNames.details, JSON.stringify(change.details)],
  ];
  return `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}

/** Readers that use JavaScript numbers cannot distinguish neighbours beyond 2^53. */
const FIRST_LARGE_ID = 2n ** 53n + 1n;

function idJson(ids: Personality['ids'], seed: number, serial: number): string | null {
  if (ids === 'none') return null;
  if (ids === 'uuid') return JSON.stringify(uuidFrom(`${seed}/entry/${serial}`));
  return String(FIRST_LARGE_ID + BigInt(serial));
}
