// Sends the messages of a queue as one message of a channel, each event once: read, claim, send, remember.
import { parse } from '../../events/index.ts';
import type { Clock } from '../../shared/clock.ts';
import { BridgeError } from '../../shared/errors.ts';
import { parseJson } from '../../shared/json.ts';
import type { Log } from '../../shared/log.ts';
import { createFilter } from '../../events/action-filter.ts';
import { isHistorical, toChange, toDisabledChange, type Change, type ReadOptions } from './what-to-say/change.ts';
import type { Channel, ChannelDisabled } from './channels/channel.ts';
import type { Message, SentStore } from './ports.ts';

/**
 * What to do with a message: delete it, or keep it in the queue until an instant (ms since 1970; null: its back-off).
 */
export type Disposition = { kind: 'done' } | { kind: 'keep'; until: number | null };

export type Delivery = {
  channel: Channel;
  /** What to read from events. */
  reading: ReadOptions & { actionKeys?: readonly string[] };
  /** Channels that report it when this one is disabled. */
  others: readonly Channel[];
  store: SentStore;
  clock: Clock;
  log: Log;
  /** Unique to this invocation. */
  owner: string;
  /** In ms since 1970. */
  deadlineAt: number;
};

const DONE: Disposition = { kind: 'done' };
const RETRY: Disposition = { kind: 'keep', until: null };
/** Messages of a disabled channel come back after an hour. */
const DISABLED_PAUSE_MS = 3_600_000;
/** Claims outlive the invocation by this much, because clocks differ. */
const CLAIM_MARGIN_MS = 5_000;

/**
 * Sends the new changes of the messages in one message. Resolves to the disposition of each message, in their order.
 * Never rejects for a failure of the channel or the table.
 */
export async function deliver(messages: readonly Message[], delivery: Delivery): Promise<Disposition[]> {
  const isWanted = createFilter(delivery.reading.actionKeys);
  const read = messages.map((message) => readChange(message, delivery, isWanted));
  const changes = [...new Map(read.flatMap((one) => ('id' in one ? [[one.id, one]] : []))).values()];
  const dispositions = await sendOnce(changes, delivery);
  return read.map((one) => ('id' in one ? (dispositions.get(one.id) ?? RETRY) : one));
}

/** The change in a message, or the disposition of a message without one to send. */
function readChange(
  { body }: Message,
  { reading, log, channel }: Delivery,
  isWanted: ReturnType<typeof createFilter>,
): Change | Disposition {
  try {
    const event = parse(parseJson(body));
    if (!isWanted(event)) return DONE;
    if (!isHistorical(event)) return toChange(event, reading);
    log.debug('A replayed or backfilled event is not sent.', { channel: channel.name, id: event.detail.metadata.id });
    return DONE;
  } catch (error) {
    log.warn('A message holds no event of the bridge.', { channel: channel.name, ...fieldsOf(error) });
    return RETRY;
  }
}

async function sendOnce(changes: readonly Change[], delivery: Delivery): Promise<Map<string, Disposition>> {
  const { channel, log } = delivery;
  try {
    return await claimAndSend(changes, delivery);
  } catch (error) {
    const level = error instanceof BridgeError ? 'warn' : 'error';
    log[level]('Changes could not be sent. They are retried.', { channel: channel.name, ...fieldsOf(error) });
    return new Map(changes.map(({ id }) => [id, RETRY]));
  }
}

async function claimAndSend(changes: readonly Change[], delivery: Delivery): Promise<Map<string, Disposition>> {
  const { channel, store, owner, deadlineAt, log } = delivery;
  if (changes.length === 0) return new Map();
  const ids = changes.map(({ id }) => id);
  const until = deadlineAt + CLAIM_MARGIN_MS;
  const { claimed, sent, held } = await store.claim(channel.name, ids, { owner, until });
  const dispositions = new Map<string, Disposition>([
    ...sent.map((id) => [id, DONE] as const),
    ...held.map((id) => [id, { kind: 'keep', until }] as const),
  ]);
  if (claimed.length > 0) {
    const mine = new Set(claimed);
    const disposition = await sendClaimed(
      changes.filter(({ id }) => mine.has(id)),
      delivery,
    );
    for (const id of claimed) dispositions.set(id, disposition);
  }
  log.info('Delivered.', { channel: channel.name, events: ids.length, new: claimed.length, duplicates: sent.length });
  return dispositions;
}

/** Sends claimed changes, and then remembers them as sent or releases the claims. */
async function sendClaimed(changes: readonly Change[], delivery: Delivery): Promise<Disposition> {
  const { channel, store, clock, log, deadlineAt } = delivery;
  const ids = changes.map(({ id }) => id);
  const outcome = await channel.send(changes, deadlineAt).catch(async (error: unknown) => {
    await release(ids, delivery);
    throw error;
  });
  if (outcome.kind === 'sent') {
    // Done even if it cannot be remembered: a retry by the queue would certainly send it twice, EventBridge rarely
    // does.
    await store.complete(channel.name, ids).catch((error: unknown) => {
      log.warn('Sent changes could not be remembered.', { channel: channel.name, ...fieldsOf(error) });
    });
    return DONE;
  }
  await release(ids, delivery);
  if (outcome.kind === 'later') return { kind: 'keep', until: outcome.at };
  await reportDisabled(outcome, delivery);
  return { kind: 'keep', until: clock.now() + DISABLED_PAUSE_MS };
}

/** A claim that cannot be released ends by itself. */
async function release(ids: readonly string[], { channel, store, log }: Delivery): Promise<void> {
  await store.release(channel.name, ids).catch((error: unknown) => {
    log.warn('A claim could not be released.', { channel: channel.name, ...fieldsOf(error) });
  });
}

/**
 * Reports a disabled channel: in the log each time, through the other channels once for each refused version of the
 * secret (D11).
 */
export async function reportDisabled(disabled: ChannelDisabled, delivery: Delivery): Promise<void> {
  const { channel, others, clock, log } = delivery;
  log.warn('A channel is disabled.', { channel: channel.name, reason: disabled.kind });
  if (disabled.kind !== 'refused') return;
  const change = toDisabledChange({ ...disabled, service: channel.service, channel: channel.name, at: clock.now() });
  for (const other of others) await sendOnce([change], { ...delivery, channel: other, others: [] });
}

/** What may be logged of a failure. */
export function fieldsOf(error: unknown): Record<string, unknown> {
  if (error instanceof BridgeError) return { code: error.code, reason: error.message, ...error.details };
  return { code: 'Unexpected', error: error instanceof Error ? error.name : typeof error };
}
