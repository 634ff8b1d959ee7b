// A batch of the queue: what can be sent is sent at once, everything else becomes a due item before its message goes.
import { createDestinationFilter, isSentAgain } from '../destinations/filter.ts';
import { createSeals } from '../destinations/keys.ts';
import { type DefinedDestination, nameIn } from '../destinations/destination.ts';
import type { SealedDue, StoredEvent } from '../destinations/ports.ts';
import type { DestinationSecret } from '../destinations/secret.ts';
import type { DestinationState, DueItem } from '../destinations/state.ts';
import { gateOf } from '../shared/in-parallel.ts';
import { type Event, type Outcome, toDue, tryOnce } from './delivery.ts';
import { isSlow, outlookOf } from './health.ts';
import { noteOutcomes } from './note-outcomes.ts';
import type { Surroundings } from './ports.ts';
import { ATTEMPT_MS } from './send/sender.ts';

/** At once to one destination, in one invocation. */
const PARALLEL_TO_ONE = 3;
/** Of a batch: who answers so slowly that others would wait for it gets the rest from the table. */
const BEGIN_WITHIN_MS = 1_000;
/** Of an attempt at once. A receiver that needs longer gets it by the table, which waits for the whole attempt. */
const AT_ONCE_MS = 4_400;
/** Others know at most so much later that something waits. */
export const SEEN_SECONDS = 6;
/** Destinations of an event that it is sent to at once; for further ones it is written down first. */
const AT_ONCE = 10;

/** What is known at the moment, at most 5 s old. */
export type View = {
  destinations: readonly DefinedDestination[];
  /** Ids of all that somebody defines. Where a definition is refused, any id of its name may be its own. */
  isDefined: (id: string) => boolean;
  /** A batch adds what it learns. */
  states: Map<string, DestinationState>;
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
  const late = direct.filter((pair) => rankOf(pair, direct) >= AT_ONCE || isTooMany(pair, direct));
  const untried = ({ event, destination }: Pair) => [event, toDue(event, destination.id, clock.now())] as const;
  await keepAll([...kept, ...late].map(untried), view, table);
  await noteNotKept(
    plans.filter(({ plan }) => plan === 'full').map(({ pair }) => pair),
    view,
    surroundings,
  );
  const sent = await sendAll(
    direct.filter((pair) => !late.includes(pair)),
    view,
    surroundings,
    deadlineAt,
  );
  const outcomes = sent.flatMap(({ pair, outcome }) => (outcome === null ? [] : [{ pair, outcome }]));
  // The marks of what was accepted come first: whatever fails after them sends nothing twice.
  await table.record(outcomes.map(({ outcome }) => outcome.record));
  await keepAll(
    sent.flatMap(({ pair, outcome }) => {
      if (outcome === null) return [untried(pair)];
      return outcome.next === null ? [] : [[pair.event, outcome.next] as const];
    }),
    view,
    table,
  );
  const dead = outcomes.flatMap(({ pair, outcome }) =>
    outcome.dead === null ? [] : [{ event: pair.event, due: outcome.dead }],
  );
  if (dead.length > 0) await buryAll(dead, view, table);
  await noteOutcomes(
    outcomes.map(({ outcome }) => outcome),
    view,
    surroundings,
  );
  // What was not tried is due now, and a sweep of every minute would be late.
  const isFailing = new Set(outcomes.filter(({ outcome }) => outcome.next !== null).map(({ pair }) => idOf(pair)));
  const waiting = new Set(
    [...late, ...sent.filter(({ outcome }) => outcome === null).map(({ pair }) => pair)].map(idOf),
  );
  for (const id of waiting.difference(isFailing))
    if (!isSlow(view.states.get(id) ?? null, clock.now())) await surroundings.hint(id, SEEN_SECONDS);
}

const idOf = ({ destination }: Pair): string => destination.id;

function matchesOf(events: readonly Event[], { destinations }: View): Pair[] {
  const webhooks = destinations.filter(({ forward }) => forward === null);
  const filters = webhooks.map((destination) => ({ destination, isFor: createDestinationFilter(destination) }));
  return events.flatMap((event) =>
    filters.filter(({ isFor }) => isFor(event.json)).map(({ destination }) => ({ event, destination })),
  );
}

/** The queue, or EventBridge, delivers an event a second time now and then. */
async function notAccepted(pairs: readonly Pair[], { table }: Surroundings): Promise<Pair[]> {
  if (pairs.length === 0) return [];
  const keyOf = ({ event, destination }: Pair): string => `${destination.id}#${event.id}`;
  const toDelivery = ({ event, destination }: Pair) => ({ destinationId: destination.id, eventId: event.id });
  await table.forgetAccepted(pairs.filter(({ event }) => isSentAgain(event.json)).map(toDelivery));
  const accepted = await table.accepted(pairs.map(toDelivery));
  return [...new Map(pairs.map((pair) => [keyOf(pair), pair])).values()].filter((pair) => !accepted.has(keyOf(pair)));
}

function planOf({ destination }: Pair, { states }: View, now: number) {
  return outlookOf(states.get(destination.id) ?? null, now);
}

/** How many destinations of the same event come before. */
function rankOf({ event, destination }: Pair, all: readonly Pair[]): number {
  return all.filter((one) => one.event.id === event.id).findIndex((one) => one.destination === destination);
}

/** More events of one batch than may be sent to a destination in a second. */
function isTooMany({ event, destination }: Pair, all: readonly Pair[]): boolean {
  const before = all.filter((one) => one.destination === destination).findIndex((one) => one.event === event);
  return before >= destination.maxPerSecond;
}

/** Of each destination that cannot keep more, the first event that it lacks. */
async function noteNotKept(pairs: readonly Pair[], { states }: View, { table, tell, clock }: Surroundings) {
  for (const [id, lacking] of Map.groupBy(pairs, idOf)) {
    const { notKeptFrom = null, notKeptUntil = null } = states.get(id) ?? {};
    if (notKeptFrom !== null && notKeptUntil === null) continue;
    await table.note(id, { notKeptFrom: Math.min(...lacking.map(({ event }) => event.occurredAt)) });
    const [{ sourceId } = { sourceId: '' }] = lacking.map(({ event }) => event);
    await tell({
      sourceId,
      type: 'WebhookDeliveriesGivenUp',
      name: nameIn(id),
      count: lacking.length,
      at: clock.now(),
    });
  }
}

/** An outcome of null: it was not tried, because one before it failed, or took too long. */
async function sendAll(
  pairs: readonly Pair[],
  { secret }: View,
  surroundings: Surroundings,
  deadlineAt: number,
): Promise<{ pair: Pair; outcome: Outcome | null }[]> {
  const { clock, log } = surroundings;
  // With less than an attempt may take, the end of the function would count as a failure of the receiver.
  const beginsUntil = Math.min(clock.now() + BEGIN_WITHIN_MS, deadlineAt - ATTEMPT_MS);
  const failing = new Set<string>();
  const gates = new Map(pairs.map(({ destination }) => [destination.id, gateOf(PARALLEL_TO_ONE)]));
  return await Promise.all(
    pairs.map(async (pair) => {
      const { id } = pair.destination;
      const gate = gates.get(id) ?? gateOf(1);
      return await gate(async () => {
        if (failing.has(id) || clock.now() >= beginsUntil) return { pair, outcome: null };
        const until = Math.min(deadlineAt, clock.now() + AT_ONCE_MS);
        const outcome = await tryOnce({ ...pair, due: null }, secret, surroundings, until).catch((error: unknown) => {
          // It waits then, and nobody else does.
          log.error('An attempt could not be made.', { destination: id, error: String(error) });
          return null;
        });
        if (outcome === null || outcome.record.outcome === 'failed') failing.add(id);
        return { pair, outcome };
      });
    }),
  );
}

type Waiting = readonly (readonly [Event, DueItem])[];

/** Writes events and due items with their seals. */
async function keepAll(waiting: Waiting, { secret }: View, table: Surroundings['table']): Promise<void> {
  if (waiting.length === 0) return;
  const { events, due } = sealed(waiting, secret);
  await table.keep(events, due);
}

export async function buryAll(
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
