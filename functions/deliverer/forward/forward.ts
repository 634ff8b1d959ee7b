// Forwards the audit copy to systems of auditors: in the order in which it was written, in batches, at least once.
//
// The copy is the queue. It keeps events for years, so a system that is down for a month loses nothing, and waiting
// costs nothing. A crash between an answer and the position that is stored after it sends one batch again.
import { randomUUID } from 'node:crypto';
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
import { type Formed, postBatch, type Posted } from './post-batch.ts';
import { isConfirmed, toAckRequest } from './protocols.ts';
import { formOf, toRecord } from './records.ts';

/** Of a batch: Splunk takes 1 MB by default, Datadog a thousand records. */
const [MAX_RECORDS, MAX_BYTES] = [500, 900_000];
/** Of lines that are read for one, of which a filter may leave out most. */
const MAX_LINES = 10_000;
/** An object may have ten megabytes of text, and each of these holds one. */
const TOGETHER = 4;
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
  const { forwarding, log } = surroundings;
  const found = view.destinations.filter(isForwarded);
  if (forwarding === null) return;
  const world = { ...surroundings, forwarding };
  await inParallel(found, TOGETHER, async (destination) => {
    await forwardOne({ destination, view, world, until }).catch((error: unknown) =>
      log.error('Forwarding has failed. The next sweep goes on.', {
        destination: destination.name,
        error: String(error),
      }),
    );
  });
}

async function forwardOne(work: Work): Promise<void> {
  const { destination, view, world } = work;
  const { table, clock } = world;
  const state = view.states.get(destination.name) ?? null;
  if (state !== null && (state.halt !== null || nextTryAt(state) > clock.now())) return;
  const lease = await table.acquire(destination.name, randomUUID(), clock.now() + LEASE_MS);
  if (lease === null) return;
  if (state?.waiting === true) await sendWanted(lease, state, work);
  else await sendCopy(state, work);
  await table.hold(lease, 0);
}

/** When a system that fails is tried again: after a quarter of the time for which it has failed. */
function nextTryAt({ failingSince, lastFailureAt, notBefore }: DestinationState): number {
  if (failingSince === null || lastFailureAt === null) return notBefore ?? 0;
  return Math.max(notBefore ?? 0, lastFailureAt + Math.min(MAX_PAUSE_MS, (lastFailureAt - failingSince) / 4));
}

/** What commands want sent again. The copy goes on with the next sweep. */
async function sendWanted(lease: SweepLease, state: DestinationState, work: Work): Promise<void> {
  const { destination, view, world, until } = work;
  const { table, clock } = world;
  for (let isGoing = true; isGoing && clock.now() + BATCH_MS < until;) {
    const due = await table.readDue(destination.name, clock.now(), MAX_RECORDS);
    if (due.length === 0) break;
    const { events, refused } = await readAll(due, view, world);
    if (refused.length > 0) await giveUp(refused, state, world, 'its item was altered, or the keys are others');
    const waiting = [...events].map(([from, { text }]) => ({ from, formed: toFormed(text, destination) }));
    const good = waiting.flatMap(({ from, formed }) => (formed === null ? [] : [{ from, ...formed }]));
    const some = good.slice(0, countOf(good));
    const posted = await post(some, work);
    await settle(posted, state, work);
    await table.moveDue(some.slice(0, posted.settled).map(({ from }) => ({ from, to: null })));
    isGoing = posted.failure === null;
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

async function sendCopy(state: DestinationState | null, work: Work): Promise<void> {
  const { destination, world, until } = work;
  const { table, clock } = world;
  const { name } = destination;
  const kept = await table.readPosition(name);
  let position: Position = kept.position ?? { since: hourAt(clock.now(), EVENTS_PREFIX), at: null, pending: null };
  const save = async (next: Position, done: readonly string[]): Promise<void> => {
    await table.savePosition(name, next, done);
    position = next;
  };
  const { pending } = position;
  const confirmed = new Set<string>();
  if (pending !== null) {
    const isSafe = await areConfirmed(pending.ackIds, work);
    if (!isSafe && clock.now() - pending.at < ACK_LOST_MS) return;
    if (isSafe) for (const key of pending.done) confirmed.add(key);
    await save({ ...position, at: isSafe ? pending.next : position.at, pending: null }, [...confirmed]);
  }
  const isDone = (key: string): boolean => kept.isDone(key) || confirmed.has(key);
  let open: string | null = null;
  for await (const { lines, isEnd } of batchesOf(linesOf(position, isDone, work), until, clock)) {
    const posted = await post(
      lines.flatMap(({ record }) => record ?? []),
      work,
    );
    await settle(posted, state, work);
    const { done, at } = through(lines, posted.settled);
    const { ackIds } = posted;
    if (ackIds.length > 0 && !(await areConfirmed(ackIds, work)))
      return await save({ ...position, pending: { ackIds, at: clock.now(), done, next: at } }, []);
    await save({ ...position, at: done.length > 0 ? at : (at ?? position.at) }, done);
    const isGoing = !isEnd && posted.failure === null && clock.now() + BATCH_MS < until;
    open = isEnd && posted.failure === null ? null : firstOpen(lines, done);
    if (!isGoing) break;
  }
  const since = nextSince(position.since, open, clock.now(), EVENTS_PREFIX);
  if (since === position.since) return;
  await save({ ...position, since }, []);
  await table.forgetHours(
    name,
    kept.hours.filter((hour) => hour < since),
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
    const all = (await world.forwarding.copy.read(key)).filter((line) => line !== '');
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
  let [some, records, bytes]: [Line<Formed>[], number, number] = [[], 0, 0];
  for await (const line of lines) {
    const size = line.record === null ? 0 : Buffer.byteLength(line.record.form) + 2;
    const isFull = records === MAX_RECORDS || (bytes > 0 && bytes + size > MAX_BYTES) || some.length === MAX_LINES;
    const isLate = clock.now() + BATCH_MS >= until;
    if (isFull || isLate) {
      yield { lines: some, isEnd: false };
      if (isLate) return;
      [some, records, bytes] = [[], 0, 0];
    }
    some.push(line);
    [records, bytes] = [records + (size > 0 ? 1 : 0), bytes + size];
  }
  yield { lines: some, isEnd: true };
}

async function post(formed: readonly Formed[], { destination, view, world, until }: Work): Promise<Posted> {
  if (formed.length === 0) return { settled: 0, refused: [], failure: null, ackIds: [], attempts: [] };
  const headers = headersNow(view.secret, destination);
  const { clock, forwarding } = world;
  const probe = (): Formed => toFormed(testEvent(clock.now()).text, destination) as Formed;
  return await postBatch(formed, { target: destination, headers, post: forwarding.post, clock, probe }, until);
}

/** Parks what is refused for good, and notes how the system is. All of it comes before the position. */
async function settle(
  { refused, failure, attempts }: Posted,
  state: DestinationState | null,
  { destination, view, world }: Work,
): Promise<void> {
  const { table, clock, tell } = world;
  const { name } = destination;
  const now = clock.now();
  const dead = refused.flatMap(({ record, why }) => {
    const event = toEvent(record.json, record.text);
    return event === null ? [] : [{ event, due: { ...toDue(event, name, now), attempts: 1, last: why } }];
  });
  if (dead.length > 0) {
    await buryAll(dead, view, table);
    const parked = ({ event: { id: eventId, detailType } }: { event: Event }) => ({ name, eventId, detailType });
    const rest = { at: now, attempt: 1, outcome: 'parked' as const, status: null, durationMs: 0, nextAt: null };
    attempts.push(...dead.map((one) => ({ ...parked(one), ...rest, answer: one.due.last })));
    const [{ event: { sourceId } } = { event: { sourceId: '' } }] = dead;
    if ((state?.dead ?? 0) === 0)
      await tell({ sourceId, type: 'WebhookDeliveriesGivenUp', name, count: dead.length, at: now });
  }
  await table.record(attempts);
  if (failure === null && attempts.length > 0 && (state?.failingSince ?? null) !== null)
    await table.note(name, { succeededAt: now });
  if (failure === null) return;
  await table.note(name, { failedAt: now, ...(failure.retryAt === null ? {} : { notBefore: failure.retryAt }) });
  const failingSince = state?.failingSince ?? null;
  if (failingSince === null || now - failingSince < NOTICE_AFTER_MS || state?.warnedFor === failingSince) return;
  await tell({ sourceId: '', type: 'WebhookEndpointFailing', name, failingSince, at: now });
  await table.note(name, { warnedFor: failingSince });
}

/** Asks until all are in an index, or the time for it is over. */
async function areConfirmed(ackIds: readonly number[], { destination, view, world, until }: Work): Promise<boolean> {
  const { clock, forwarding } = world;
  const headers = headersNow(view.secret, destination);
  const end = Math.min(until, clock.now() + ACK_WAIT_MS);
  const left = new Set(ackIds);
  for (;;) {
    for (const ackId of left) {
      const { text } = await forwarding.post(destination, toAckRequest(destination, ackId, headers), end);
      if (isConfirmed(text, ackId)) left.delete(ackId);
    }
    if (left.size === 0) return true;
    if (clock.now() + ACK_PAUSE_MS >= end) return false;
    await clock.sleep(ACK_PAUSE_MS);
  }
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
