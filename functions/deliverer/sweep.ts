// What waits is sent by sweeps: every minute, and where a hint says that something is due.
import { randomUUID } from 'node:crypto';
import { createDestinationFilter } from '../destinations/filter.ts';
import { createSeals } from '../destinations/keys.ts';
import { type DefinedDestination, isForwarded as isOfCopy, nameIn } from '../destinations/destination.ts';
import type { SealedDue, StoredEvent } from '../destinations/ports.ts';
import type { DestinationState, DueItem, SweepLease } from '../destinations/state.ts';
import { inParallel } from '../shared/in-parallel.ts';
import { isJsonObject, parseJson } from '../shared/json.ts';
import { isTooOld } from './attempts.ts';
import { SEEN_SECONDS, type View } from './deliver-batch.ts';
import { type Event, type Outcome, toEvent, tryOnce } from './delivery.ts';
import { noteOutcomes } from './note-outcomes.ts';
import type { Surroundings } from './ports.ts';
import { ATTEMPT_MS } from './send/sender.ts';

/** Destinations at a time, and deliveries to one. */
const [TOGETHER, PARALLEL] = [10, 3];
/** Deliveries that are read and sent before the lease is held again. */
const ROUND = 30;
/** A sweep of one destination goes on so long, if others wait for their turn; else while the time lasts. */
const TURN_MS = 15_000;
/** Longer than a round of slow receivers: ten times three attempts of five seconds, and the table. */
const LEASE_MS = 75_000;
/** Later than anything is due. */
const FAR_MS = 366 * 86_400_000;
/** A failing destination is only probed: the rest of what waits keeps its attempts. */
const PROBES = 3;

/** Sweeps those destinations that something waits for. `only` limits it to one. */
export async function sweep(
  view: View,
  surroundings: Surroundings,
  deadlineAt: number,
  only: string | null = null,
): Promise<void> {
  const { clock } = surroundings;
  const forwarded = new Set(view.destinations.filter(isOfCopy).map(({ id }) => id));
  const found = [...view.states.values()].filter(
    ({ id, waiting }) => waiting && view.isDefined(id) && !forwarded.has(id) && (only === null || id === only),
  );
  // Beginning elsewhere each time: where the time ends before the list, no destination is always the last.
  const first = Math.floor(clock.random() * found.length);
  const waiting = [...found.slice(first), ...found.slice(0, first)];
  const turnMs = waiting.length > TOGETHER ? TURN_MS : Infinity;
  await inParallel(waiting, TOGETHER, async (state) => {
    const now = clock.now();
    if (now >= deadlineAt) return;
    await sweepOne(state, view, surroundings, Math.min(deadlineAt, now + turnMs)).catch((error: unknown) =>
      surroundings.log.error('A sweep has failed. The next one goes on.', {
        destination: state.id,
        error: String(error),
      }),
    );
  });
}

async function sweepOne(state: DestinationState, view: View, surroundings: Surroundings, until: number): Promise<void> {
  const { table, clock } = surroundings;
  const lease = await table.acquire(state.id, randomUUID(), clock.now() + LEASE_MS);
  if (lease === null) return;
  const destination = view.destinations.find(({ id }) => id === state.id) ?? null;
  const canSend = destination !== null && state.halt === null && (state.notBefore ?? 0) <= clock.now();
  let isFailing = false;
  let isProbed = state.failingSince !== null;
  while (clock.now() + ATTEMPT_MS <= until && !isFailing) {
    const due = await table.readDue(state.id, clock.now() + (canSend ? 0 : FAR_MS), ROUND);
    const old = due.filter((one) => isTooOld(one, clock.now()));
    if (old.length > 0) await giveUp(old, state, surroundings);
    const young = canSend ? due.filter((one) => !old.includes(one)) : [];
    if (young.length === 0 && old.length < ROUND) break;
    isFailing =
      young.length > 0 &&
      !(await sendRound(
        young.slice(0, isProbed ? PROBES : ROUND),
        { destination: destination as DefinedDestination, state, view },
        surroundings,
        until,
      ));
    isProbed &&= isFailing || young.length === 0;
    if (!(await table.hold(lease, clock.now() + LEASE_MS))) return;
  }
  await endSweep(lease, state, surroundings);
}

/** Something may have been written since: then it goes on waiting, and the next sweep looks again. */
export async function endSweep(
  lease: SweepLease,
  { id, dueWrites }: DestinationState,
  { table, clock, hint }: Surroundings,
): Promise<void> {
  const rest = await table.readDue(id, clock.now() + FAR_MS, 1);
  if (rest.length === 0 && !(await table.clearWaiting(lease, dueWrites)) && (await table.drained(lease)))
    await hint(id, SEEN_SECONDS);
  await table.hold(lease, 0);
}

type Subject = { destination: DefinedDestination; state: DestinationState; view: View };

/** Resolves to false where the destination fails, so that no more is sent to it now. */
async function sendRound(
  due: readonly SealedDue[],
  { destination, state, view }: Subject,
  surroundings: Surroundings,
  until: number,
): Promise<boolean> {
  const { clock } = surroundings;
  const { events: stored, refused } = await readAll(due, view, surroundings);
  if (refused.length > 0) await giveUp(refused, state, surroundings, 'its item was altered, or the keys are others');
  const events = await wantedOf([...stored], destination, surroundings);
  const outcomes: { from: SealedDue; outcome: Outcome }[] = [];
  const pauseMs = (1_000 / destination.maxPerSecond) * PARALLEL;
  await inParallel(events, PARALLEL, async ([from, event]) => {
    if (clock.now() + ATTEMPT_MS > until || shouldStop(outcomes)) return;
    const startedAt = clock.now();
    const outcome = await tryOnce({ event, destination, due: from }, view.secret, surroundings, until);
    outcomes.push({ from, outcome });
    await clock.sleep(Math.max(0, pauseMs - (clock.now() - startedAt)));
  });
  await store(outcomes, view, surroundings);
  const isRefused = outcomes.length > 0 && outcomes.every(({ outcome }) => outcome.record.outcome === 'failed');
  return !shouldStop(outcomes) && !(state.failingSince !== null && isRefused);
}

/** Its filters may have changed since something began to wait. */
async function wantedOf(
  events: readonly (readonly [SealedDue, Event])[],
  destination: DefinedDestination,
  { table, clock }: Surroundings,
): Promise<(readonly [SealedDue, Event])[]> {
  const isFor = createDestinationFilter(destination);
  const wanted = events.filter(([due, { json }]) => due.isAsked === true || isFor(json));
  const unwanted = events.filter((one) => !wanted.includes(one));
  await table.record(
    unwanted.map(([{ destinationId, eventId, attempts }, { detailType }]) => ({
      destinationId,
      eventId,
      detailType,
      at: clock.now(),
      attempt: attempts,
      outcome: 'unwanted',
      status: null,
      answer: 'no longer wanted',
      durationMs: 0,
      nextAt: null,
    })),
  );
  await table.moveDue(unwanted.map(([from]) => ({ from, to: null })));
  return wanted;
}

/** Three failures and no success, or a receiver that asks to wait, end a round. */
function shouldStop(outcomes: readonly { outcome: Outcome }[]): boolean {
  if (outcomes.some(({ outcome: { notBefore, record } }) => notBefore !== null || record.status === 410)) return true;
  return outcomes.length >= PROBES && outcomes.every(({ outcome }) => outcome.record.outcome !== 'delivered');
}

/** First the log with the marks of what was accepted, then the moves: a crash between them sends nothing twice. */
async function store(
  outcomes: readonly { from: SealedDue; outcome: Outcome }[],
  view: View,
  surroundings: Surroundings,
): Promise<void> {
  const { table } = surroundings;
  const seal = (due: DueItem, { seal }: SealedDue): SealedDue => ({ ...due, seal });
  await table.record(outcomes.map(({ outcome }) => outcome.record));
  await table.bury(outcomes.flatMap(({ from, outcome }) => (outcome.dead === null ? [] : [seal(outcome.dead, from)])));
  await table.moveDue(
    outcomes.map(({ from, outcome: { next } }) => ({ from, to: next === null ? null : seal(next, from) })),
  );
  await noteOutcomes(
    outcomes.map(({ outcome }) => outcome),
    view,
    surroundings,
  );
}

/** The events of due items whose seals fit, without what was accepted already. */
export async function readAll(
  due: readonly SealedDue[],
  { secret }: View,
  { table }: Surroundings,
  { isForwarded = false } = {},
): Promise<{ events: Map<SealedDue, Event>; refused: SealedDue[] }> {
  const seals = createSeals(secret.master);
  const [stored, accepted] = await Promise.all([
    table.readEvents(due.map(({ eventId }) => eventId)),
    // What is forwarded again is wanted, whatever was accepted as a webhook.
    isForwarded ? new Set<string>() : table.accepted(due),
  ]);
  // The same event twice: after a crash of a sweep that moved it, or of a batch. One of them is enough.
  const isFirst = new Map(due.toReversed().map((one) => [one.eventId, one]));
  const done = due.filter(
    (one) => accepted.has(`${one.destinationId}#${one.eventId}`) || isFirst.get(one.eventId) !== one,
  );
  await table.moveDue(done.map((from) => ({ from, to: null })));
  const byId = new Map(stored.map((event) => [event.eventId, event]));
  const read = due
    .filter((one) => !done.includes(one))
    .map((one) => [one, eventOf(byId.get(one.eventId), one, seals)] as const);
  return {
    events: new Map(read.flatMap(([one, event]) => (event === null ? [] : [[one, event]]))),
    refused: read.flatMap(([one, event]) => (event === null ? [one] : [])),
  };
}

function eventOf(stored: StoredEvent | undefined, due: SealedDue, seals: ReturnType<typeof createSeals>): Event | null {
  if (stored === undefined || !seals.fits({ kind: 'due', ...due }, due.seal)) return null;
  const { eventId, text, seal } = stored;
  if (!seals.fits({ kind: 'event', eventId, text }, seal)) return null;
  const json = parseJson(text);
  return isJsonObject(json) ? toEvent(json, text) : null;
}

/** What waits for 13 days, or has no seal of ours, is given up. A notice names the first; an alarm stays on. */
export async function giveUp(
  over: readonly SealedDue[],
  { id, dead }: DestinationState,
  { table, tell, clock }: Surroundings,
  why: string | null = null,
): Promise<void> {
  await table.bury(over.map((one) => ({ ...one, last: why ?? one.last })));
  await table.moveDue(over.map((from) => ({ from, to: null })));
  const [{ sourceId } = { sourceId: '' }] = over;
  const told = { sourceId, name: nameIn(id), count: over.length, at: clock.now() };
  if (dead === 0) await tell({ type: 'WebhookDeliveriesGivenUp', ...told });
}
