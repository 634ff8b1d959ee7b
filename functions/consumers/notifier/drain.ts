// A digest: everything in a channel's queue becomes one message.
import { BridgeError } from '../../shared/errors.ts';
import { deliver, reportDisabled, type Delivery, type Disposition } from './deliver.ts';
import type { Message, MessageQueue } from './ports.ts';

/** `not-due`: the weekly digest was sent already. */
export type DrainResult = { channel: string; outcome: 'sent' | 'empty' | 'disabled' | 'not-due'; messages: number };

/** Receiving ends when this share of the time is left, for claiming, sending and deleting. */
const SENDING_SHARE = 0.5;
const PARALLEL_CALLS = 8;
/** What a function of 256 MB can hold. The rest waits for the next round. */
const MAX_MESSAGES = 10_000;
const MAX_CHARACTERS = 24_000_000;

/**
 * Sends everything in the queue, in one message or, if it does not fit into memory, in several. Receives nothing while
 * the channel is disabled. Rejects with DeliveryFailed where messages stay in the queue, so that Lambda retries.
 */
export async function drain(queue: MessageQueue, delivery: Delivery): Promise<DrainResult> {
  const { channel, clock, deadlineAt } = delivery;
  const disabled = await channel.check();
  if (disabled !== null) {
    await reportDisabled(disabled, delivery);
    return { channel: channel.name, outcome: 'disabled', messages: 0 };
  }
  const receivingEndsAt = deadlineAt - (deadlineAt - clock.now()) * SENDING_SHARE;
  const isInTime = (): boolean => clock.now() < receivingEndsAt;
  let sent = 0;
  for (let isEmpty = false; !isEmpty;) {
    if (!isInTime()) throw unfinished(channel.name, sent);
    const received = await receiveAll(queue, isInTime);
    if (received.messages.length > 0) await sendRound(received.messages, queue, delivery);
    sent += received.messages.length;
    isEmpty = received.isEmpty;
  }
  return { channel: channel.name, outcome: sent === 0 ? 'empty' : 'sent', messages: sent };
}

type Received = { messages: Message[]; isEmpty: boolean };

/** Rejects only if nothing was received: received messages are hidden from other invocations, so they are sent. */
async function receiveAll(queue: MessageQueue, isInTime: () => boolean): Promise<Received> {
  const messages: Message[] = [];
  let characters = 0;
  while (isInTime() && messages.length < MAX_MESSAGES && characters < MAX_CHARACTERS) {
    const answers = await Promise.allSettled(Array.from({ length: PARALLEL_CALLS }, () => queue.receive()));
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

async function sendRound(messages: readonly Message[], queue: MessageQueue, delivery: Delivery): Promise<void> {
  const dispositions = await deliver(messages, delivery);
  const ofKind = (kind: Disposition['kind']): Message[] =>
    messages.filter((_, index) => dispositions[index]?.kind === kind);
  const kept = ofKind('keep');
  // Both are tried even if one fails: the retry finds only messages that are visible again.
  const [deleted] = await Promise.allSettled([
    queue.delete(ofKind('done')),
    queue.postpone(kept.map((message) => ({ message, seconds: 0 }))),
  ]);
  if (kept.length > 0) throw unsent(delivery.channel.name, { kept: kept.length, of: messages.length });
  if (deleted.status === 'rejected') throw deleted.reason;
}

function unsent(channel: string, { kept, of }: { kept: number; of: number }): BridgeError {
  return new BridgeError(
    'DeliveryFailed',
    `${kept} of ${of} messages of the channel ${channel} could not be sent. They wait in its queue and are retried.`,
    { retryable: true, details: { channel, kept } },
  );
}

function unfinished(channel: string, sent: number): BridgeError {
  return new BridgeError(
    'DeliveryFailed',
    `The queue of the channel ${channel} has more messages than a run can send. ${sent} were sent; the next run continues.`,
    { retryable: true, details: { channel, sent } },
  );
}
