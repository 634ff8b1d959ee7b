// Messages of a queue become one message of a channel, each event told once: read, claim, tell, remember.
import { parse } from '../../events/index.ts';
import type { Clock } from '../../shared/clock.ts';
import { BridgeError } from '../../shared/errors.ts';
import { parseJson } from '../../shared/json.ts';
import type { Log } from '../../shared/log.ts';
import { isOld, toChange, toTrouble, type Change } from './change.ts';
import type { Channel, Shut } from './channel.ts';
import type { Message, SentStore } from './ports.ts';

/** What is to be done with a message: delete it, or leave it in the queue until an instant (ms since 1970; null: after its back-off). */
export type Fate = { kind: 'done' } | { kind: 'keep'; until: number | null };

export type Delivery = {
  channel: Channel;
  nameField?: string;
  /** Those that are told where this one is switched off. */
  others: readonly Channel[];
  store: SentStore;
  clock: Clock;
  log: Log;
  /** Of this invocation alone. */
  owner: string;
  /** In ms since 1970. */
  deadlineAt: number;
};

const DONE: Fate = { kind: 'done' };
const TRY_AGAIN: Fate = { kind: 'keep', until: null };
/** A channel that is paused or off is looked at again after an hour. */
const PAUSE_MS = 3_600_000;
/** Claims outlive the invocation by so much: clocks differ. */
const CLAIM_MARGIN_MS = 5_000;

/** Tells what is in the messages and new, in one message. Resolves to each message's fate, in their order; never rejects for what a channel or the table refuses. */
export async function deliver(messages: readonly Message[], delivery: Delivery): Promise<Fate[]> {
  const read = messages.map((message) => readChange(message, delivery));
  const changes = [...new Map(read.flatMap((one) => ('id' in one ? [[one.id, one]] : []))).values()];
  const fates = await tellOnce(changes, delivery);
  return read.map((one) => ('id' in one ? (fates.get(one.id) ?? TRY_AGAIN) : one));
}

/** The change in a message; its fate where there is none to tell. */
function readChange({ body }: Message, { nameField, log, channel }: Delivery): Change | Fate {
  try {
    const event = parse(parseJson(body));
    if (!isOld(event)) return toChange(event, { nameField });
    log.debug('A replayed or backfilled event is not told.', { channel: channel.name, id: event.detail.metadata.id });
    return DONE;
  } catch (error) {
    log.warn('A message holds no event of the bridge.', { channel: channel.name, ...fieldsOf(error) });
    return TRY_AGAIN;
  }
}

async function tellOnce(changes: readonly Change[], delivery: Delivery): Promise<Map<string, Fate>> {
  const { channel, log } = delivery;
  try {
    return await claimAndTell(changes, delivery);
  } catch (error) {
    const level = error instanceof BridgeError ? 'warn' : 'error';
    log[level]('Changes could not be told. They are tried again.', { channel: channel.name, ...fieldsOf(error) });
    return new Map(changes.map(({ id }) => [id, TRY_AGAIN]));
  }
}

async function claimAndTell(changes: readonly Change[], delivery: Delivery): Promise<Map<string, Fate>> {
  const { channel, store, owner, deadlineAt, log } = delivery;
  if (changes.length === 0) return new Map();
  const ids = changes.map(({ id }) => id);
  const until = deadlineAt + CLAIM_MARGIN_MS;
  const { claimed, told, held } = await store.claim(channel.name, ids, { owner, until });
  const fates = new Map<string, Fate>([
    ...told.map((id) => [id, DONE] as const),
    ...held.map((id) => [id, { kind: 'keep', until }] as const),
  ]);
  if (claimed.length > 0) {
    const mine = new Set(claimed);
    const fate = await tell(
      changes.filter(({ id }) => mine.has(id)),
      delivery,
    );
    for (const id of claimed) fates.set(id, fate);
  }
  log.info('Delivered.', { channel: channel.name, events: ids.length, new: claimed.length, known: told.length });
  return fates;
}

/** Tells what is claimed, and then remembers it or gives it back. */
async function tell(changes: readonly Change[], delivery: Delivery): Promise<Fate> {
  const { channel, store, clock, log, deadlineAt } = delivery;
  const ids = changes.map(({ id }) => id);
  const outcome = await channel.tell(changes, deadlineAt).catch(async (error: unknown) => {
    await giveBack(ids, delivery);
    throw error;
  });
  if (outcome.kind === 'sent') {
    // Told is told: where it cannot be remembered, a repetition by the queue would be certain, one by a rule is rare.
    await store.complete(channel.name, ids).catch((error: unknown) => {
      log.warn('What was told could not be remembered.', { channel: channel.name, ...fieldsOf(error) });
    });
    return DONE;
  }
  await giveBack(ids, delivery);
  if (outcome.kind === 'later') return { kind: 'keep', until: outcome.at };
  await reportShut(outcome, delivery);
  return { kind: 'keep', until: clock.now() + PAUSE_MS };
}

/** A claim that cannot be given back ends by itself. */
async function giveBack(ids: readonly string[], { channel, store, log }: Delivery): Promise<void> {
  await store.release(channel.name, ids).catch((error: unknown) => {
    log.warn('A claim could not be given back.', { channel: channel.name, ...fieldsOf(error) });
  });
}

/** Says that a channel is shut: in the log each time, through the other channels once for each version of the secret that was refused (D11). */
export async function reportShut(shut: Shut, delivery: Delivery): Promise<void> {
  const { channel, others, clock, log } = delivery;
  log.warn('A channel is not sent to.', { channel: channel.name, reason: shut.kind });
  if (shut.kind !== 'refused') return;
  const trouble = toTrouble({ ...shut, channel: channel.name, at: clock.now() });
  for (const other of others) await tellOnce([trouble], { ...delivery, channel: other, others: [] });
}

/** What may be logged of a failure. */
export function fieldsOf(error: unknown): Record<string, unknown> {
  if (error instanceof BridgeError) return { code: error.code, reason: error.message, ...error.details };
  return { code: 'Unexpected', error: error instanceof Error ? error.name : typeof error };
}
