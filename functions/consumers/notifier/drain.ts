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
 * DeliveryFailed where something could not be told, or more waits than a run can tell: it lies in the queue, for this invocation to be repeated.
 */
export async function drain(queue: MessageQueue, delivery: Delivery): Promise<DrainResult> {
  const { channel, clock, deadlineAt } = delivery;
  const shut = await channel.check();
  if (shut !== null) {
    await reportShut(shut, delivery);
    return { channel: channel.name, outcome: 'shut', messages: 0 };
  }
  const receivingEndsAt = deadlineAt - (deadlineAt - clock.now()) * RECEIVING_SHARE;
  const isInTime = (): boolean => clock.now() < receivingEndsAt;
  let told = 0;
  for (let isEmpty = false; !isEmpty;) {
    if (!isInTime()) throw unfinished(channel.name, told);
    const received = await receiveAll(queue, isInTime);
    if (received.messages.length > 0) await tellRound(received.messages, queue, delivery);
    told += received.messages.length;
    isEmpty = received.isEmpty;
  }
  return { channel: channel.name, outcome: told === 0 ? 'empty' : 'told', messages: told };
}

type Received = { messages: Message[]; isEmpty: boolean };

/** Rejects only where nothing was received: what was handed out nobody else sees for a while, so that it is told although a call failed. */
async function receiveAll(queue: MessageQueue, isInTime: () => boolean): Promise<Received> {
  const messages: Message[] = [];
  let characters = 0;
  while (isInTime() && messages.length < MOST_MESSAGES && characters < MOST_CHARACTERS) {
    const answers = await Promise.allSettled(Array.from({ length: CALLS_AT_ONCE }, () => queue.receive()));
    const received = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    messages.push(...received);
    characters += received.reduce((sum, { body }) => sum + body.length, 0);
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (failed !== undefined && messages.length === 0) throw failed.reason;
    if (failed !== undefined) break;
    if (received.length === 0) return { messages, isEmpty: true };
  }
  return { messages, isEmpty: false };
}

async function tellRound(messages: readonly Message[], queue: MessageQueue, delivery: Delivery): Promise<void> {
  const fates = await deliver(messages, delivery);
  const withFate = (kind: Fate['kind']): Message[] => messages.filter((_, index) => fates[index]?.kind === kind);
  const kept = withFate('keep');
  // Each whatever becomes of the other: the repeated invocation finds only what was given back.
  const [deleted] = await Promise.allSettled([
    queue.delete(withFate('done')),
    queue.postpone(kept.map((message) => ({ message, seconds: 0 }))),
  ]);
  if (kept.length > 0) throw untold(delivery.channel.name, { kept: kept.length, of: messages.length });
  if (deleted.status === 'rejected') throw deleted.reason;
}

function untold(channel: string, { kept, of }: { kept: number; of: number }): BridgeError {
  return new BridgeError(
    'DeliveryFailed',
    `${kept} of ${of} messages of the channel ${channel} could not be told. They wait in its queue.`,
    { retryable: true, details: { channel, kept } },
  );
}

function unfinished(channel: string, told: number): BridgeError {
  return new BridgeError(
    'DeliveryFailed',
    `More waits in the queue of the channel ${channel} than a run can tell. ${told} messages were told; the next run goes on.`,
    { retryable: true, details: { channel, told } },
  );
}
