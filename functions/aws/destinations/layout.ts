// The layout of the destinations' table: every key is here.
//
//   pk                    sk                            holds
//   definitions           <name>                        a destination that a command made
//   states                <name>                        what the deliverer remembers of it, and the lease of its sweep
//   due#<name>#<shard>    <dueAt>#<eventId>             a delivery that waits: a reference, below 1 KB, without TTL
//   dead#<name>           <occurredAt>#<eventId>        a delivery that was given up, for `recover`, until expiresAt
//   event#<eventId>       event                         an event, once for all who wait for it, until expiresAt
//   accepted#<eventId>    <name>                        a delivery that was accepted, until expiresAt
//   forward#<name>        position                      how far the audit copy was forwarded to it
//   forward#<name>        hour#<folder>                 objects of that hour that are done, as short hashes
//   log#<name>            <at>#<eventId>#<attempt>      an attempt, until expiresAt
import { createHash } from 'node:crypto';

/** The table's keys, both strings, and its time-to-live attribute in seconds since 1970. */
export const DESTINATION_TABLE_KEYS = { partition: 'pk', sort: 'sk', timeToLive: 'expiresAt' } as const;

/** A partition takes 1,000 writes a second; fifteen dead destinations under 50 events a second are 1,500. */
export const SHARDS = 4;

const DAY_MS = 86_400_000;
/** What is given up, what was accepted, and the log of deliveries. */
export const KEPT_MS = 30 * DAY_MS;
/** Longer than what waits (13 days) and then is dead (30 days) refers to it. */
export const EVENT_KEPT_MS = 45 * DAY_MS;

type Key = { pk: string; sk: string };

export const DEFINITIONS = 'definitions';
export const STATES = 'states';

export function dueKey({ name, eventId, dueAt }: { name: string; eventId: string; dueAt: number }): Key {
  return { pk: duePartition(name, shardOf(eventId)), sk: `${instant(dueAt)}#${eventId}` };
}

export function duePartition(name: string, shard: number): string {
  return `due#${name}#${shard}`;
}

/** Sorts behind everything that is due at an instant. */
export function dueUntil(at: number): string {
  return `${instant(at)}$`;
}

export function deadKey({ name, eventId, occurredAt }: { name: string; eventId: string; occurredAt: number }): Key {
  return { pk: `dead#${name}`, sk: `${instant(occurredAt)}#${eventId}` };
}

export function deadFrom(at: number): string {
  return instant(at);
}

export function eventKey(eventId: string): Key {
  return { pk: `event#${eventId}`, sk: 'event' };
}

export function acceptedKey({ name, eventId }: { name: string; eventId: string }): Key {
  return { pk: `accepted#${eventId}`, sk: name };
}

export function logKey({
  name,
  at,
  eventId,
  attempt,
}: {
  name: string;
  at: number;
  eventId: string;
  attempt: number;
}): Key {
  return { pk: `log#${name}`, sk: `${instant(at)}#${eventId}#${attempt}` };
}

export function forwardPartition(name: string): string {
  return `forward#${name}`;
}

export const POSITION = 'position';
export const HOUR = 'hour#';

/** Of the key of an object: 72 bits, so that an hour of them is below 1 KB. */
export function markOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 12);
}

/** Seconds since 1970, for the time to live. */
export function expiry(at: number): number {
  return Math.ceil(at / 1_000);
}

function shardOf(eventId: string): number {
  return createHash('sha256').update(eventId).digest().readUInt8(0) % SHARDS;
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
