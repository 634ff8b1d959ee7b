// A batch of a queue, sent in one message. Messages that cannot be sent stay in the queue and come back later.
import { deliver, fieldsOf, type Delivery, type Disposition } from './deliver.ts';
import type { Message, MessageQueue } from './ports.ts';

/** Lambda's answer to a batch: the messages that stay in the queue. */
type BatchAnswer = { batchItemFailures: { itemIdentifier: string }[] };

/**
 * The back-off after the first, second and later failures. With twelve receipts a message has more than two hours
 * before it becomes a dead letter, and after a recovery it waits for at most a quarter of an hour.
 */
export const BACK_OFF_SECONDS = [60, 300, 900];

export async function deliverBatch(
  messages: readonly Message[],
  queue: MessageQueue,
  delivery: Delivery,
): Promise<BatchAnswer> {
  const dispositions = await deliver(messages, delivery);
  const waits = messages.flatMap((message, index) => {
    const disposition = dispositions[index];
    return disposition?.kind === 'keep'
      ? [{ message, seconds: secondsFor(message, disposition, delivery.clock.now()) }]
      : [];
  });
  if (waits.length > 0) await postpone(waits, queue, delivery);
  return { batchItemFailures: waits.map(({ message: { id } }) => ({ itemIdentifier: id })) };
}

/**
 * A requested wait is obeyed, but from the second receipt on it is at least the back-off: each wait counts as a
 * receipt, and twelve short ones would make a dead letter within minutes.
 */
function secondsFor({ receiveCount }: Message, { until }: Disposition & { kind: 'keep' }, now: number): number {
  const backOff = BACK_OFF_SECONDS[Math.min(receiveCount, BACK_OFF_SECONDS.length) - 1] ?? 60;
  if (until === null) return backOff;
  return Math.max(1, Math.ceil((until - now) / 1_000), receiveCount > 1 ? backOff : 0);
}

/** If it fails, the queue's visibility timeout applies. */
async function postpone(
  waits: Parameters<MessageQueue['postpone']>[0],
  queue: MessageQueue,
  { channel, log }: Delivery,
): Promise<void> {
  await queue.postpone(waits).catch((error: unknown) => {
    log.warn('Messages could not be postponed.', { channel: channel.name, ...fieldsOf(error) });
  });
}
