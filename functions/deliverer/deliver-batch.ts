// A batch of the queue: what can be sent is sent at once, everything else becomes a due item before its message goes.
import { createDestinationFilter } from '../destinations/filter.ts';
import { createSeals } from '../destinations/keys.ts';
import type { DefinedDestination } from '../destinations/destination.ts';
import type { SealedDue, StoredEvent } from '../destinations/ports.ts';
import type { DestinationSecret } from '../destinations/secret.ts';
import type { DestinationState, DueItem } from '../destinations/state.ts';
import { gateOf } from '../shared/in-parallel.ts';
import { type Event, type Outcome, toDue, tryOnce } from './delivery.ts';
import { outlookOf } from './health.ts';
import { noteOutcomes } from './note-outcomes.ts';
import type { Surroundings } from './ports.ts';

/** At once to one destination, in one invocation. */
const PARALLEL_TO_ONE = 3;
/** Destinations of an event that it is sent to at once; for further ones it is written down first. */
const AT_ONCE = 10;

/** What is known at the moment, at most 5 s old. */
export type View = {
  destinations: readonly DefinedDestination[];
  states: ReadonlyMap<string, DestinationState>;
  secret: DestinationSecret;
};

type Pair = { event: Event; destination: DefinedDestination };

/** Rejects where the table fails: then every message of the batch comes again, and what was accepted is skipped. */
export async function deliverBatch(
  events: readonly Event[],
  view: View,
  surroundings: Surroundings,
  deadlineAt: number,
): Promise<void> {
  const { table, clock } = surroundings;
  const pairs = await notAccepted(matchesOf(events, view), surroundings);
  const plans = pairs.map((pair) => ({ pair, plan: planOf(pair, view, clock.now()) }));
  const kept = plans.filter(({ plan }) => plan === 'keep').map(({ pair }) => pair);
  const direct = plans.filter(({ plan }) => plan === 'direct').map(({ pair }) => pair);
  const late = direct.filter((pair) => rankOf(pair, direct) >= AT_ONCE);
  await keepAll(
    [...kept, ...late].map(({ event, destination }) => [event, toDue(event, destination.name, clock.now())]),
    view,
    table,
  );
  for (const { pair, plan } of plans)
    if (plan === 'full') await table.note(pair.destination.name, { notKeptFrom: pair.event.occurredAt });
  const outcomes = await sendAll(
    direct.filter((pair) => !late.includes(pair)),
    view,
    surroundings,
    deadlineAt,
  );
  await keepAll(
    outcomes.flatMap(({ pair, outcome: { next } }) => (next === null ? [] : [[pair.event, next] as const])),
    view,
    table,
  );
  const dead = outcomes.flatMap(({ pair, outcome }) =>
    outcome.dead === null ? [] : [{ event: pair.event, due: outcome.dead }],
  );
  if (dead.length > 0) await buryAll(dead, view, table);
  await table.record(outcomes.map(({ outcome }) => outcome.record));
  await noteOutcomes(
    outcomes.map(({ outcome }) => outcome),
    view,
    surroundings,
  );
}

function matchesOf(events: readonly Event[], { destinations }: View): Pair[] {
  const filters = destinations.map((destination) => ({ destination, isFor: createDestinationFilter(destination) }));
  return events.flatMap((event) =>
    filters.filter(({ isFor }) => isFor(event.json)).map(({ destination }) => ({ event, destination })),
  );
}

/** The queue, or EventBridge, delivers an event a second time now and then. */
async function notAccepted(pairs: readonly Pair[], { table }: Surroundings): Promise<Pair[]> {
  if (pairs.length === 0) return [];
  const name = ({ event, destination }: Pair): string => `${destination.name}#${event.id}`;
  const accepted = await table.accepted(
    pairs.map(({ event, destination }) => ({ name: destination.name, eventId: event.id })),
  );
  return [...new Map(pairs.map((pair) => [name(pair), pair])).values()].filter((pair) => !accepted.has(name(pair)));
}

function planOf({ destination }: Pair, { states }: View, now: number) {
  return outlookOf(states.get(destination.name) ?? null, now);
}

/** How many destinations of the same event come before. */
function rankOf({ event, destination }: Pair, all: readonly Pair[]): number {
  return all.filter((one) => one.event.id === event.id).findIndex((one) => one.destination === destination);
}

async function sendAll(
  pairs: readonly Pair[],
  { secret }: View,
  surroundings: Surroundings,
  deadlineAt: number,
): Promise<{ pair: Pair; outcome: Outcome }[]> {
  const gates = new Map(pairs.map(({ destination }) => [destination.name, gateOf(PARALLEL_TO_ONE)]));
  return await Promise.all(
    pairs.map(async (pair) => {
      const gate = gates.get(pair.destination.name) ?? gateOf(1);
      const outcome = await gate(async () => await tryOnce({ ...pair, due: null }, secret, surroundings, deadlineAt));
      return { pair, outcome };
    }),
  );
}

type Waiting = readonly (readonly [Event, DueItem])[];

/** Writes events and due items with their seals. */
export async function keepAll(waiting: Waiting, { secret }: View, table: Surroundings['table']): Promise<void> {
  if (waiting.length === 0) return;
  const { events, due } = sealed(waiting, secret);
  await table.keep(events, due);
}

async function buryAll(
  dead: readonly { event: Event; due: DueItem }[],
  { secret }: View,
  table: Surroundings['table'],
): Promise<void> {
  const { events, due } = sealed(
    dead.map((one) => [one.event, one.due]),
    secret,
  );
  await table.keep(events, []);
  await table.bury(due);
}

function sealed(waiting: Waiting, { master }: DestinationSecret): { events: StoredEvent[]; due: SealedDue[] } {
  const seals = createSeals(master);
  const events = waiting.map(([{ id: eventId, text }]) => ({
    eventId,
    text,
    seal: seals.of({ kind: 'event', eventId, text }),
  }));
  return { events, due: waiting.map(([, due]) => ({ ...due, seal: seals.of({ kind: 'due', ...due }) })) };
}
