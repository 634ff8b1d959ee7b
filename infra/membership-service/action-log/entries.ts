// How what happened becomes an entry of the action log.
import type { Personality } from '../personality/personality.ts';
import { happens, uuidFrom, type Random } from '../random.ts';
import { stampAt, stampJson } from './stamps.ts';
import type { Zone } from '../../shared/zone.ts';

/** Something that happened in the organisation. */
export type Change = {
  actionKey: string;
  /** Whom it is about; null for the organisation itself. */
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
  /** What it is stamped with, in microseconds since 1970. */
  stampedMicros: number;
  actionKey: string;
  organisationMembershipId: string | null;
  /** Only of an entry of another organisation than the one that the service is about. */
  organisationId?: string;
  /** The JSON text of the entry, exactly as a page shows it. */
  json: string;
};

export type EntryWriter = (change: Change, serial: number, now: number) => LoggedEntry;

/** Joins what an entry depends on beside the change itself. `random` draws lateness and stamps ahead of time. */
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

/** Letter for letter what the entry is, at another place of the log. */
export function twinOf(entry: LoggedEntry, serial: number): LoggedEntry {
  return { ...entry, serial };
}

/** ActionLogApiDto is not shown in the interface document: every field is invented, and nothing here but the id tells two entries apart. */
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

/** Neighbours beyond 2^53 are one and the same to a reader that takes them for JavaScript numbers. */
const FIRST_GREAT_ID = 2n ** 53n + 1n;

function idJson(ids: Personality['ids'], seed: number, serial: number): string | null {
  if (ids === 'none') return null;
  if (ids === 'uuid') return JSON.stringify(uuidFrom(`${seed}/entry/${serial}`));
  return String(FIRST_GREAT_ID + BigInt(serial));
}
