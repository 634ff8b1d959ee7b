// The destinations' table: definitions, states, what waits, what was given up, and the log of deliveries.
//
// What a crash leads to: marks of what was accepted are written first, then the event, the due items that refer to it,
// the state that says that something waits; then the queue's message goes. So a crash leaves an event that nobody
// needs, or due items whose message comes again and marks the state: their keys are the same, and a sweep sends one of
// two for the same event. What was accepted and marked is skipped; what a crash leaves unmarked is sent again.
// A due item that moves is written at its new place before the old one is removed.
import { gzipSync } from 'node:zlib';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Delivery, DestinationTable, Facts, SealedDue, StoredEvent } from '../../destinations/ports.ts';
import type { DeliveryRecord, DueItem } from '../../destinations/state.ts';
import { hourOf, type Position } from '../../destinations/position.ts';
import type { Clock } from '../../shared/clock.ts';
import { BridgeError } from '../../shared/errors.ts';
import { type Item, type Items, openItems } from './items.ts';
import {
  acceptedKey,
  deadFrom,
  deadKey,
  DEFINITIONS,
  dueKey,
  duePartition,
  dueUntil,
  EVENT_KEPT_MS,
  eventKey,
  expiry,
  forwardPartition,
  HOUR,
  KEPT_MS,
  logKey,
  markOf,
  POSITION,
  SHARDS,
  STATES,
} from './layout.ts';

import { toDefinition, toDue, toEvent, toState } from './read-items.ts';

type Table = { client: DynamoDBClient; tableName: string; clock: Clock };

export function createDestinationTable(table: Table): DestinationTable {
  const items = openItems(table);
  const { clock } = table;
  return {
    ...definitions(items),
    ...states(items, clock),
    ...waiting(items, clock),
    ...givenUp(items, clock),
    ...records(items, clock),
    ...positions(items),
  };
}

function positions(
  items: Items,
): Pick<DestinationTable, 'readPosition' | 'savePosition' | 'forgetHours' | 'deleteState'> {
  const key = (name: string, sk: string) => ({ pk: forwardPartition(name), sk });
  return {
    readPosition: async (name) => {
      const found = await items.query(forwardPartition(name));
      const hours = found.filter(({ sk }) => String(sk).startsWith(HOUR));
      const done = new Set(hours.flatMap(({ done }) => [...(done as ReadonlySet<string>)]));
      const position = found.find(({ sk }) => sk === POSITION)?.['value'] as Position | undefined;
      return {
        position: position ?? null,
        isDone: (one) => done.has(markOf(one)),
        hours: hours.map(({ sk }) => String(sk).slice(HOUR.length)),
      };
    },
    savePosition: async (name, position, done) => {
      for (const [hour, keys] of Map.groupBy(done, hourOf))
        await items.update(key(name, `${HOUR}${hour}`), {
          UpdateExpression: 'ADD done :done',
          ExpressionAttributeValues: { ':done': new Set(keys.map(markOf)) },
        });
      await items.write([{ put: { ...key(name, POSITION), value: position } }]);
    },
    deleteState: async (name) => {
      const kept = (await items.query(forwardPartition(name))).map(({ sk }) => key(name, String(sk)));
      await items.write([{ pk: STATES, sk: name }, ...kept].map((one) => ({ delete: one })));
    },
    forgetHours: async (name, hours) =>
      await items.write(hours.map((hour) => ({ delete: key(name, `${HOUR}${hour}`) }))),
  };
}

function definitions(items: Items): Pick<DestinationTable, 'readDefinitions' | 'writeDefinition' | 'deleteDefinition'> {
  const swap = async (name: string, before: number | null, change: Item): Promise<boolean> =>
    await items.update(
      { pk: DEFINITIONS, sk: name },
      {
        UpdateExpression: `SET ${Object.keys(change)
          .map((member) => `#${member} = :${member}`)
          .join(', ')}`,
        ConditionExpression:
          before === null
            ? 'attribute_not_exists(revision) OR removed = :yes'
            : '#revision = :before AND removed <> :yes',
        ExpressionAttributeNames: Object.fromEntries(
          [...Object.keys(change), 'revision'].map((member) => [`#${member}`, member]),
        ),
        ExpressionAttributeValues: {
          ...Object.fromEntries(Object.entries(change).map(([member, value]) => [`:${member}`, value])),
          ':yes': true,
          ...(before === null ? {} : { ':before': before }),
        },
      },
    );
  return {
    readDefinitions: async () =>
      (await items.query(DEFINITIONS)).filter(({ removed }) => removed !== true).map(toDefinition),
    writeDefinition: async ({ name, revision, body, seal }, before) =>
      await swap(name, before, { revision, body, seal, removed: false }),
    // It stays as an item without content: a late writer of an earlier revision does not bring it back.
    deleteDefinition: async (name, before) => await swap(name, before, { body: '', seal: '', removed: true }),
  };
}

function states(
  items: Items,
  clock: Clock,
): Pick<DestinationTable, 'readStates' | 'writeHalt' | 'acquire' | 'hold' | 'drained' | 'clearWaiting' | 'note'> {
  const key = (name: string) => ({ pk: STATES, sk: name });
  return {
    readStates: async () => (await items.query(STATES)).map(toState),
    writeHalt: async (name, halt) =>
      halt === null
        ? await items.update(key(name), {
            UpdateExpression: 'REMOVE halt, failingSince, notBefore, warnedFor',
            ConditionExpression: 'attribute_exists(halt)',
          })
        : await items.update(key(name), {
            UpdateExpression: 'SET halt = :halt REMOVE drainedAt',
            ConditionExpression: 'attribute_not_exists(halt)',
            ExpressionAttributeValues: { ':halt': halt },
          }),
    acquire: async (name, owner, until) => {
      const isOurs = await items.update(key(name), {
        UpdateExpression: 'SET leaseOwner = :owner, leaseUntil = :until',
        ConditionExpression: 'attribute_not_exists(leaseUntil) OR leaseUntil <= :now OR leaseOwner = :owner',
        ExpressionAttributeValues: { ':owner': owner, ':until': until, ':now': clock.now() },
      });
      return isOurs ? { name, owner } : null;
    },
    hold: async ({ name, owner }, until) =>
      await items.update(key(name), {
        UpdateExpression: 'SET leaseUntil = :until',
        ConditionExpression: 'leaseOwner = :owner',
        ExpressionAttributeValues: { ':owner': owner, ':until': until },
      }),
    drained: async ({ name, owner }) =>
      await items.update(key(name), {
        UpdateExpression: 'SET drainedAt = :now, notKeptUntil = if_not_exists(notKeptUntil, :now), due = :none',
        ConditionExpression: 'leaseOwner = :owner AND attribute_not_exists(halt)',
        ExpressionAttributeValues: { ':owner': owner, ':now': clock.now(), ':none': 0 },
      }),
    clearWaiting: async ({ name, owner }, dueWrites) =>
      await items.update(key(name), {
        UpdateExpression:
          'SET waiting = :no, due = :none, notKeptUntil = if_not_exists(notKeptUntil, :now) REMOVE drainedAt',
        ConditionExpression: 'leaseOwner = :owner AND dueWrites = :dueWrites',
        ExpressionAttributeValues: {
          ':owner': owner,
          ':dueWrites': dueWrites,
          ':now': clock.now(),
          ':no': false,
          ':none': 0,
        },
      }),
    note: async (name, facts) => void (await items.update(key(name), toUpdate(facts))),
  };
}

function toUpdate(facts: Facts) {
  if ('succeededAt' in facts)
    return {
      UpdateExpression: 'SET lastSuccessAt = :at REMOVE failingSince, notBefore, warnedFor',
      ExpressionAttributeValues: { ':at': facts.succeededAt },
    };
  if ('failedAt' in facts)
    return {
      UpdateExpression: `SET lastFailureAt = :at, failingSince = if_not_exists(failingSince, :at)${facts.notBefore === undefined ? '' : ', notBefore = :notBefore'} REMOVE drainedAt`,
      ExpressionAttributeValues: {
        ':at': facts.failedAt,
        ...(facts.notBefore === undefined ? {} : { ':notBefore': facts.notBefore }),
      },
    };
  if ('recoveredFrom' in facts)
    return {
      UpdateExpression: 'REMOVE notKeptFrom, notKeptUntil',
      ConditionExpression: 'notKeptFrom = :from AND attribute_exists(notKeptUntil)',
      ExpressionAttributeValues: { ':from': facts.recoveredFrom },
    };
  const [[member, value] = ['', 0]] = Object.entries(facts);
  // The first event that was not kept counts, until `recover`; a warning is of the failure that it names.
  const UpdateExpression =
    member === 'notKeptFrom'
      ? 'SET notKeptFrom = if_not_exists(notKeptFrom, :value) REMOVE notKeptUntil'
      : `SET ${member} = :value`;
  return { UpdateExpression, ExpressionAttributeValues: { ':value': value } };
}

function waiting(items: Items, clock: Clock): Pick<DestinationTable, 'keep' | 'readDue' | 'readEvents' | 'moveDue'> {
  return {
    keep: async (events, due) => {
      await items.write(events.map((event) => ({ put: toEventItem(event, clock.now()) })));
      await items.write(due.map((one) => ({ put: toDueItem(one) })));
      await count(items, due, { due: 1, dueWrites: 1 }, true);
    },
    readDue: async (name, until, limit) => {
      const shards = await Promise.all(
        Array.from({ length: SHARDS }, async (_, shard) =>
          items.query(duePartition(name, shard), { to: dueUntil(until), limit }),
        ),
      );
      const due = shards.flat().map((item) => toDue(item, clock.now()));
      return due.toSorted((a, b) => a.dueAt - b.dueAt).slice(0, limit);
    },
    readEvents: async (eventIds) =>
      (await items.read([...new Set(eventIds)].map(eventKey))).flatMap((item) => toEvent(item) ?? []),
    moveDue: async (moves) => {
      const later = moves.flatMap(({ to }) => to ?? []);
      await items.write(later.map((one) => ({ put: toDueItem(one) })));
      await items.write(moves.map(({ from }) => ({ delete: from.key ?? dueKey(from) })));
      const over = moves.filter(({ to }) => to === null).map(({ from }) => from);
      await count(items, over, { due: -1 });
    },
  };
}

function givenUp(items: Items, clock: Clock): Pick<DestinationTable, 'bury' | 'readDead' | 'forgetDead'> {
  return {
    bury: async (dead) => {
      const expiresAt = expiry(clock.now() + KEPT_MS);
      await items.write(dead.map((one) => ({ put: { ...toItem(one), ...deadKey(one), expiresAt } })));
      await count(items, dead, { dead: 1 });
    },
    readDead: async (name, since, limit) => {
      const { pk } = deadKey({ name, eventId: '', occurredAt: 0 });
      return (await items.query(pk, { from: deadFrom(since), limit })).map((item) => toDue(item, clock.now()));
    },
    forgetDead: async (dead) => {
      await items.write(dead.map((one) => ({ delete: one.key ?? deadKey(one) })));
      await count(items, dead, { dead: -1 });
    },
  };
}

/** Adds to the counts of the states. `isNew`: something waits from now on. */
async function count(
  items: Items,
  due: readonly DueItem[],
  change: Readonly<Record<string, number>>,
  isNew = false,
): Promise<void> {
  for (const [name, counted] of Map.groupBy(due, (one) => one.name)) {
    const added = Object.entries(change).map(([member, sign]) => [member, sign * counted.length] as const);
    const key = { pk: STATES, sk: name };
    const update = {
      UpdateExpression: `${isNew ? 'SET waiting = :yes ' : ''}ADD ${added.map(([member]) => `${member} :${member}`).join(', ')}`,
      ExpressionAttributeValues: {
        ...(isNew ? { ':yes': true } : {}),
        ...Object.fromEntries(added.map(([member, by]) => [`:${member}`, by])),
      },
    };
    await items.update(key, update).catch(async (error: unknown) => {
      if (!(error instanceof BridgeError) || error.details['error'] !== 'ValidationException') throw error;
      // To a count that is no number nothing can be added: it begins again.
      await items.update(key, { UpdateExpression: `REMOVE ${Object.keys(change).join(', ')}` });
      await items.update(key, update);
    });
  }
}

function toEventItem({ eventId, text, seal }: StoredEvent, now: number): Item {
  const expiresAt = expiry(now + EVENT_KEPT_MS);
  return { ...eventKey(eventId), eventId, text: gzipSync(text), seal, expiresAt };
}

function toDueItem(due: SealedDue): Item {
  return { ...toItem(due), ...dueKey(due) };
}

/** Without where it lay. */
function toItem({ key: _key, ...due }: SealedDue): SealedDue {
  return due;
}

function records(
  items: Items,
  clock: Clock,
): Pick<DestinationTable, 'record' | 'forgetAccepted' | 'accepted' | 'readRecords'> {
  return {
    record: async (records) => {
      const expiresAt = expiry(clock.now() + KEPT_MS);
      const accepted = records.filter(({ outcome }) => outcome === 'delivered');
      // The marks first: without one the event would be sent again.
      await items.write(accepted.map((one) => ({ put: { ...acceptedKey(one), expiresAt } })));
      await items.write(records.map((one) => ({ put: { ...one, ...logKey(one), expiresAt } })));
    },
    forgetAccepted: async (deliveries) => {
      await items.write(deliveries.map((one) => ({ delete: acceptedKey(one) })));
    },
    accepted: async (deliveries) => {
      const keys = new Map(deliveries.map((one) => [toText(one), acceptedKey(one)]));
      const found = await items.read([...keys.values()]);
      return new Set(found.map(({ pk, sk }) => toText({ name: String(sk), eventId: String(pk).slice(9) })));
    },
    readRecords: async (name, limit) => {
      const { pk } = logKey({ name, at: 0, eventId: '', attempt: 0 });
      const found = await items.query(pk, { limit, newestFirst: true });
      return found.map(({ pk: _pk, sk: _sk, expiresAt: _at, ...record }) => record as DeliveryRecord);
    },
  };
}

function toText({ name, eventId }: Delivery): string {
  return `${name}#${eventId}`;
}
