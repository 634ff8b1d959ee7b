// A digest: all that waits in a channel's queue becomes one message.
import { BridgeError } from '../../shared/errors.ts';
import { deliver, reportShut, type Delivery, type Fate } from './deliver.ts';
import type { Message, MessageQueue } from './ports.ts';

export type DrainResult = { channel: string; outcome: 'told' | 'empty' | 'shut'; messages: number };

/** Receiving ends when this share of the time is left: the rest is for claiming, telling and deleting. */
const RECEIVING_SHARE = 0.5;
const CALLS_AT_ONCE = 8;
/** What a function of 256 MB holds at once; what is beyond waits for the next round. */
const MOST_MESSAGES = 10_000;
const MOST_CHARACTERS = 24_000_000;

/**
 * Tells all that waits, in one message, or several where it is more than fits at once. Where the channel is shut, nothing is taken out of the queue. Rejects with
 * DeliveryFailed where something could not be told: it waits in the queue, for this invocation to be repeated.
 */
export async function drain(queue: MessageQueue, delivery: Delivery): Promise<DrainResult> {
  const { channel, clock, deadlineAt } = delivery;
  const shut = await channel.check();
  if (shut !== null) {
    await reportShut(shut, delivery);
    return { channel: channel.name, outcome: 'shut', messages: 0 };
  }
  const receivingEndsAt = deadlineAt - (deadlineAt - clock.now()) * RECEIVING_SHARE;
  let told = 0;
  while (clock.now() < receivingEndsAt) {
    const messages = await receiveAll(queue, () => clock.now() < receivingEndsAt);
    if (messages.length === 0) break;
    await tellRound(messages, queue, delivery);
    told += messages.length;
  }
  return { channel: channel.name, outcome: told === 0 ? 'empty' : 'told', messages: told };
}

async function receiveAll(queue: MessageQueue, isInTime: () => boolean): Promise<Message[]> {
  const messages: Message[] = [];
  let characters = 0;
  while (isInTime() && messages.length < MOST_MESSAGES && characters < MOST_CHARACTERS) {
    const received = (await Promise.all(Array.from({ length: CALLS_AT_ONCE }, () => queue.receive()))).flat();
    if (received.length === 0) break;
    messages.push(...received);
    characters += received.reduce((sum, { body }) => sum + body.length, 0);
  }
  return messages;
}

async function tellRound(messages: readonly Message[], queue: MessageQueue, delivery: Delivery): Promise<void> {
  const fates = await deliver(messages, delivery);
  const withFate = (kind: Fate['kind']): Message[] => messages.filter((_, index) => fates[index]?.kind === kind);
  await queue.delete(withFate('done'));
  const kept = withFate('keep');
  if (kept.length === 0) return;
  await queue.postpone(kept.map((message) => ({ message, seconds: 0 })));
  throw new BridgeError(
    'DeliveryFailed',
    `${kept.length} of ${messages.length} messages of the channel ${delivery.channel.name} could not be told. They wait in its queue.`,
    { retryable: true, details: { channel: delivery.channel.name, kept: kept.length } },
  );
}
