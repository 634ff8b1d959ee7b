// Forwards the audit copy to systems of auditors: in the order in which it was written, in batches, at least once.
//
// The copy is the queue. It keeps events for years, so a system that is down for a month loses nothing, and waiting
// costs nothing. A crash between an answer and the position that is stored after it sends one batch again.
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { EVENTS_PREFIX } from '../../shared/copy-prefix.ts';
import { type Forwarded, isForwarded } from '../../destinations/destination.ts';
import { createDestinationFilter } from '../../destinations/filter.ts';
import { headersNow } from '../../destinations/keys.ts';
import type { DeliveryRecord, DestinationState, SweepLease } from '../../destinations/state.ts';
import { inParallel } from '../../shared/in-parallel.ts';
import { buryAll, type View } from '../deliver-batch.ts';
import { type Event, testEvent, toDue, toEvent } from '../delivery.ts';
import type { Forwarding, Surroundings } from '../ports.ts';
import { endSweep, giveUp, readAll } from '../sweep.ts';
import { hourAt, type Line, nextSince, type Position, through } from '../../destinations/position.ts';
import { type Acks, type Formed, postBatch, type Posted } from './post-batch.ts';
import { toAckRequest, unconfirmed } from './protocols.ts';
import { formOf, toRecord } from './records.ts';

/** Of a batch: Splunk takes 1 MB by default, Datadog a thousand records. */
const [MAX_RECORDS, MAX_BYTES] = [500, 900_000];
/** Of lines that are read for one, of which a filter may leave out most. */
const MAX_LINES = 10_000;
/** Of objects whose keys a position names while they wait to be confirmed. */
const MAX_OBJECTS = 1_000;
/** What commands want sent again is read whole. */
const MAX_WANTED = 50;
/** DynamoDB takes items of 400 KB. A larger record is parked without its content, which the copy has. */
const MAX_PARKED_BYTES = 380_000;
/** An object may have ten megabytes of text, and each of these holds one. */
const TOGETHER = 4;
/** A new destination begins so long before now: Firehose may hold events for 15 minutes. */
const START_MS = 16 * 60_000;
/** Longer than an invocation. */
const LEASE_MS = 75_000;
/** A batch begins only with so much time left. */
const BATCH_MS = 10_000;
/** How long it is asked in one sweep whether a batch is in an index, and when it is sent again. */
const [ACK_WAIT_MS, ACK_PAUSE_MS, ACK_LOST_MS] = [20_000, 1_000, 300_000];
/** Failing so long becomes a notice. */
const NOTICE_AFTER_MS = 15 * 60_000;
/** A system that is down is tried less and less often, up to this. */
const MAX_PAUSE_MS = 15 * 60_000;

type World = Surroundings & { forwarding: Forwarding };
type Work = { destination: Forwarded; view: View; world: World; until: number };

/** Forwards to each destination that has a protocol, as far as the time goes. */
export async function forwardAll(view: View, surroundings: Surroundings, until: number): Promise<void> {
  const { forwarding, log, clock } = surroundings;
  const found = view.destinations.filter(isForwarded);
  if (forwarding === null) return;
  const world = { ...surroundings, forwarding };
  // Beginning elsewhere each time: where the time ends before the list, no destination is always the last.
  const first = Math.floor(clock.random() * found.length);
  await inParallel([...found.slice(first), ...found.slice(0, first)], TOGETHER, async (destination) => {
    if (clock.now() + BATCH_MS >= until) return;
    const work = { destination, view, world, until };
    const state = view.states.get(destination.name) ?? null;
    await forwardOne(state, work).catch(async (error: unknown) => {
      log.error('Forwarding has failed. The next sweep goes on.', {
        destination: destination.name,
        error: String(error),
      });
      // People hear of what is not the system's fault, too.
      await noteFailure({ why: String(error), retryAt: null }, state, work).catch(() => {});
    });
  });
}

async function forwardOne(state: DestinationState | null, work: Work): Promise<void> {
  const { destination, world } = work;
  const { table, clock } = world;
  const { name } = destination;
  const isHalted = state !== null && (state.halt !== null || nextTryAt(state) > clock.now());
  const lease = isHalted ? null : await table.acquire(name, randomUUID(), clock.now() + LEASE_MS);
  if (lease === null && !isHalted) return;
  const kept = await table.readPosition(name);
  // At once, and for a paused one, too: what comes from now on is for it.
  const position = kept.position ?? (await begin(name, world));
  if (lease === null) return;
  try {
    const isGood = await sendCopy(state, { ...kept, position }, work);
    if (isGood && state?.waiting === true) await sendWanted(lease, state, work);
  } finally {
    await table.hold(lease, 0);
  }
}

async function begin(name: string, { table, clock }: World): Promise<Position> {
  const position = { since: hourAt(clock.now() - START_MS, EVENTS_PREFIX), at: null, pending: null };
  await table.savePosition(name, position, []);
  return position;
}

/** When a system that fails is tried again: after a quarter of the time for which it has failed. */
function nextTryAt({ failingSince, lastFailureAt, notBefore }: DestinationState): number {
  if (failingSince === null || lastFailureAt === null) return notBefore ?? 0;
  return Math.max(notBefore ?? 0, lastFailureAt + Math.min(MAX_PAUSE_MS, (lastFailureAt - failingSince) / 4));
}

/** What commands want sent again, after the copy, which it never holds up. */
async function sendWanted(lease: SweepLease, state: DestinationState, work: Work): Promise<void> {
  const { destination, view, world, until } = work;
  const { table, clock } = world;
  while (clock.now() + BATCH_MS < until) {
    const due = await table.readDue(destination.name, clock.now(), MAX_WANTED);
    if (due.length === 0) break;
    const { events, refused } = await readAll(due, view, world, { isForwarded: true });
    if (refused.length > 0) await giveUp(refused, state, world, 'its event is not kept, or was altered');
    const good = [...events].flatMap(([from, { text }]) => {
      const formed = toFormed(text, destination);
      return formed === null ? [] : [{ from, ...formed }];
    });
    const some = good.slice(0, countOf(good));
    const posted = await post(some, work);
    await settle(posted, state, work);
    // What is not confirmed is sent again by the next sweep.
    if ((await leftOf(posted.acks, work)).ids.length > 0) break;
    await noteSuccess(posted, state, work);
    await table.moveDue(some.slice(0, posted.settled).map(({ from }) => ({ from, to: null })));
    if (posted.failure !== null || (some.length > 0 && posted.settled === 0)) break;
  }
  await endSweep(lease, state, world);
}

/** So many of these are a batch. */
function countOf(formed: readonly Formed[]): number {
  let bytes = 0;
  const over = formed.findIndex(({ form }) => (bytes += Buffer.byteLength(form) + 2) > MAX_BYTES);
  return Math.min(MAX_RECORDS, over === -1 ? formed.length : Math.max(1, over));
}

function toFormed(text: string, { forward, payload }: Forwarded): Formed | null {
  const record = toRecord(text);
  return record === null ? null : { record, form: formOf(record, forward, payload) };
}

type Kept = Awaited<ReturnType<Surroundings['table']['readPosition']>> & { position: Position };

/** Resolves to false where nothing more can be sent now. */
async function sendCopy(state: DestinationState | null, kept: Kept, work: Work): Promise<boolean> {
  const { destination, world, until } = work;
  const { table, clock } = world;
  const { name } = destination;
  const confirmed = await confirmPending(state, kept.position, work);
  if (confirmed === null) return false;
  let { position } = confirmed;
  const save = async (next: Position, done: readonly string[]): Promise<void> => {
    await table.savePosition(name, next, done);
    position = next;
  };
  const isDone = (key: string): boolean => kept.isDone(key) || confirmed.done.includes(key);
  for await (const { lines, isEnd } of batchesOf(linesOf(position, isDone, work), until, clock)) {
    const formed = lines.flatMap(({ record }) => record ?? []);
    const posted = await post(formed, work);
    await settle(posted, state, work);
    const { done, at: last } = through(lines, posted.settled);
    const at = done.length > 0 ? last : (last ?? position.at);
    const acks = await leftOf(posted.acks, work);
    if (acks.ids.length > 0) {
      await save({ ...position, pending: { acks, at: clock.now(), done, next: at } }, []);
      return false;
    }
    await noteSuccess(posted, state, work);
    if (lines.length > 0) await save({ ...position, at }, done);
    const isWhole = posted.settled === formed.length;
    const open = isEnd && isWhole ? null : firstOpen(lines, done);
    // Without a line nobody knows what is open.
    if (isEnd || open !== null) await moveOn(position, open, kept, save, work);
    if (isEnd || !isWhole) return isWhole;
  }
  return clock.now() + BATCH_MS < until;
}

/** What waits for its confirmation. Null: it goes on waiting. */
async function confirmPending(
  state: DestinationState | null,
  position: Position,
  work: Work,
): Promise<{ position: Position; done: readonly string[] } | null> {
  const { destination, world } = work;
  const { table, clock } = world;
  const { pending } = position;
  if (pending === null) return { position, done: [] };
  const isAsked = destination.forward.kind === 'splunk';
  const acks = isAsked ? await leftOf(pending.acks, work) : pending.acks;
  const isSafe = isAsked && acks.ids.length === 0;
  const isWaiting = isAsked && !isSafe && clock.now() - pending.at < ACK_LOST_MS;
  const next: Position = isWaiting
    ? { ...position, pending: { ...pending, acks } }
    : { ...position, at: isSafe ? pending.next : position.at, pending: null };
  const done = isSafe ? pending.done : [];
  await table.savePosition(destination.name, next, done);
  if (isAsked && !isSafe && !isWaiting)
    await noteFailure({ why: 'it does not confirm what it has taken', retryAt: null }, state, work);
  return isWaiting ? null : { position: next, done };
}

/** Moves the beginning of what is looked at, and forgets what is before it. */
async function moveOn(
  position: Position,
  open: string | null,
  { hours }: Kept,
  save: (next: Position, done: readonly string[]) => Promise<void>,
  { destination, world: { table, clock } }: Work,
): Promise<void> {
  const since = nextSince(position.since, open, clock.now(), EVENTS_PREFIX);
  if (since === position.since) return;
  await save({ ...position, since }, []);
  await table.forgetHours(
    destination.name,
    hours.filter((hour) => hour < since),
  );
}

/** The first key that may not be done. */
function firstOpen(lines: readonly Line<Formed>[], done: readonly string[]): string | null {
  return lines.find(({ key }) => !done.includes(key))?.key ?? lines.at(-1)?.key ?? null;
}

/** The lines of all objects that are not done, in the order of their keys. */
async function* linesOf(
  { since, at }: Position,
  isDone: (key: string) => boolean,
  work: Work,
): AsyncGenerator<Line<Formed>, void> {
  const { destination, world } = work;
  const isFor = createDestinationFilter(destination);
  for await (const key of world.forwarding.copy.list(since)) {
    if (isDone(key)) continue;
    const read = await world.forwarding.copy.read(key);
    if (read === null) await tellDamaged(key, work);
    const all = (read ?? []).filter((line) => line !== '');
    const skipped = at?.key === key ? at.lines : 0;
    if (all.length <= skipped) yield { key, line: all.length, isLast: true, record: null };
    for (const [index, text] of all.entries()) {
      if (index < skipped) continue;
      const formed = toFormed(text, destination);
      if (formed === null) world.log.error('A line of the copy is no event.', { key, line: index + 1 });
      const record = formed !== null && isFor(formed.record.json) ? formed : null;
      yield { key, line: index + 1, isLast: index === all.length - 1, record };
    }
  }
}

/** Lines in batches. `isEnd`: there are no more. At least one, so that the end is known where nothing is new. */
async function* batchesOf(
  lines: AsyncIterable<Line<Formed>>,
  until: number,
  clock: Surroundings['clock'],
): AsyncGenerator<{ lines: Line<Formed>[]; isEnd: boolean }, void> {
  let [some, records, bytes, objects]: [Line<Formed>[], number, number, number] = [[], 0, 0, 0];
  for await (const line of lines) {
    const size = line.record === null ? 0 : Buffer.byteLength(line.record.form) + 2;
    const isMany = records === MAX_RECORDS || some.length === MAX_LINES || objects === MAX_OBJECTS;
    const isFull = isMany || (bytes > 0 && bytes + size > MAX_BYTES);
    const isLate = clock.now() + BATCH_MS >= until;
    if (isFull || isLate) {
      yield { lines: some, isEnd: false };
      if (isLate) return;
      [some, records, bytes, objects] = [[], 0, 0, 0];
    }
    some.push(line);
    [records, bytes, objects] = [records + (size > 0 ? 1 : 0), bytes + size, objects + (line.isLast ? 1 : 0)];
  }
  yield { lines: some, isEnd: true };
}

const NO_ACKS = { channel: '', ids: [], cookie: null };

async function post(formed: readonly Formed[], { destination, view, world, until }: Work): Promise<Posted> {
  if (formed.length === 0) return { settled: 0, refused: [], failure: null, acks: NO_ACKS, attempts: [] };
  const headers = headersNow(view.secret, destination);
  const { clock, forwarding } = world;
  const probe = (): Formed => toFormed(testEvent(clock.now()).text, destination) as Formed;
  return await postBatch(formed, { target: destination, headers, post: forwarding.post, clock, probe }, until);
}

/** Parks what is refused for good, and notes how the system is. All of it comes before the position. */
async function settle(
  { refused, failure, attempts }: Posted,
  state: DestinationState | null,
  { destination, view, world, until }: Work,
): Promise<void> {
  const { table, clock, tell } = world;
  const { name } = destination;
  const now = clock.now();
  const dead = refused.flatMap(({ record, why }) => {
    const event = toEvent(record.json, record.text);
    return event === null ? [] : [{ event, due: { ...toDue(event, name, now), attempts: 1, last: why } }];
  });
  if (dead.length > 0) {
    const isSmall = ({ event: { text } }: { event: Event }) => gzipSync(text).length < MAX_PARKED_BYTES;
    await buryAll(dead.filter(isSmall), view, table);
    await table.bury(dead.filter((one) => !isSmall(one)).map(({ due }) => ({ ...due, seal: '' })));
    const parked = ({ event: { id: eventId, detailType } }: { event: Event }) => ({ name, eventId, detailType });
    const rest = { at: now, attempt: 1, outcome: 'parked' as const, status: null, durationMs: 0, nextAt: null };
    attempts.push(...dead.map((one) => ({ ...parked(one), ...rest, answer: one.due.last })));
    const [{ event: { sourceId } } = { event: { sourceId: '' } }] = dead;
    if ((state?.dead ?? 0) === 0)
      await tell({ sourceId, type: 'WebhookDeliveriesGivenUp', name, count: dead.length, at: now });
  }
  await table.record(attempts);
  if (failure !== null) await noteFailure(failure, state, { destination, view, world, until });
}

/** What was taken, and confirmed, ends a failure. */
async function noteSuccess(
  { failure, attempts }: Posted,
  state: DestinationState | null,
  { destination: { name }, world: { table, clock } }: Work,
): Promise<void> {
  const isOver = failure === null && attempts.length > 0 && (state?.failingSince ?? null) !== null;
  if (isOver) await table.note(name, { succeededAt: clock.now() });
}

async function noteFailure(
  failure: NonNullable<Posted['failure']>,
  state: DestinationState | null,
  { destination: { name }, world: { table, clock, tell, log } }: Work,
): Promise<void> {
  const now = clock.now();
  log.warn('A system of auditors has not taken a batch.', { destination: name, why: failure.why });
  await table.note(name, { failedAt: now, ...(failure.retryAt === null ? {} : { notBefore: failure.retryAt }) });
  const failingSince = state?.failingSince ?? null;
  if (failingSince === null || now - failingSince < NOTICE_AFTER_MS || state?.warnedFor === failingSince) return;
  await tell({ sourceId: '', type: 'WebhookEndpointFailing', name, failingSince, at: now });
  await table.note(name, { warnedFor: failingSince });
}

/** Asks until all are in an index, or the time for it is over. Resolves to what is not confirmed. */
async function leftOf(acks: Acks, { destination, view, world, until }: Work): Promise<Acks> {
  const { clock, forwarding } = world;
  const headers = headersNow(view.secret, destination);
  const end = Math.min(until, clock.now() + ACK_WAIT_MS);
  let { ids } = acks;
  while (ids.length > 0) {
    const { text } = await forwarding.post(destination, toAckRequest(destination, { ...acks, ids }, headers), end);
    ids = unconfirmed(text, ids);
    if (ids.length === 0 || clock.now() + ACK_PAUSE_MS >= end) break;
    await clock.sleep(ACK_PAUSE_MS);
  }
  return { ...acks, ids };
}

/** Nobody can read it: the audit's check names it, too. */
async function tellDamaged(key: string, { destination: { name }, world }: Work): Promise<void> {
  const { log, tell, clock } = world;
  log.error('An object of the copy cannot be read. It is left out.', { destination: name, key });
  await tell({ sourceId: '', type: 'WebhookDeliveriesGivenUp', name, count: 1, at: clock.now() });
}

/** Sends one record, and writes nothing. */
export async function forwardTest(
  destination: Forwarded,
  text: string,
  view: View,
  surroundings: Surroundings,
  until: number,
): Promise<{ outcome: 'delivered' | 'failed'; status: number | null; answer: string | null; durationMs: number }> {
  const { forwarding } = surroundings;
  const formed = toFormed(text, destination);
  if (forwarding === null || formed === null)
    return { outcome: 'failed', status: null, answer: 'there is no audit copy', durationMs: 0 };
  const { attempts } = await post([formed], { destination, view, world: { ...surroundings, forwarding }, until });
  const { outcome, status, answer, durationMs } = attempts[0] as DeliveryRecord;
  return { outcome: outcome === 'delivered' ? 'delivered' : 'failed', status, answer, durationMs };
}
