// A batch of a queue, told at once in one message; what could not be told stays in the queue and comes again later.
import { deliver, fieldsOf, type Delivery, type Fate } from './deliver.ts';
import type { Message, MessageQueue } from './ports.ts';

/** As Lambda wants it of a batch: the messages that stay in the queue. */
export type BatchAnswer = { batchItemFailures: { itemIdentifier: string }[] };

/** How long a message rests after its first, second, … failure. With twelve receipts that is more than two hours before it is a dead letter, and a quarter of an hour at most once all is well. */
const BACK_OFF_SECONDS = [60, 300, 900];

export async function deliverBatch(
  messages: readonly Message[],
  queue: MessageQueue,
  delivery: Delivery,
): Promise<BatchAnswer> {
  const fates = await deliver(messages, delivery);
  const waits = messages.flatMap((message, index) => {
    const fate = fates[index];
    return fate?.kind === 'keep' ? [{ message, seconds: secondsFor(message, fate, delivery.clock.now()) }] : [];
  });
  if (waits.length > 0) await postpone(waits, queue, delivery);
  return { batchItemFailures: waits.map(({ message: { id } }) => ({ itemIdentifier: id })) };
}

/** A wait that was asked for is obeyed; from the second time on the back-off is the least, because a wait counts as a receipt, and twelve short ones would make a dead letter within minutes. */
function secondsFor({ receiveCount }: Message, { until }: Fate & { kind: 'keep' }, now: number): number {
  const backOff = BACK_OFF_SECONDS[Math.min(receiveCount, BACK_OFF_SECONDS.length) - 1] ?? 60;
  if (until === null) return backOff;
  return Math.max(1, Math.ceil((until - now) / 1_000), receiveCount > 1 ? backOff : 0);
}

/** Where it fails, the queue's own visibility timeout holds. */
async function postpone(
  waits: Parameters<MessageQueue['postpone']>[0],
  queue: MessageQueue,
  { channel, log }: Delivery,
): Promise<void> {
  await queue.postpone(waits).catch((error: unknown) => {
    log.warn('Messages could not be postponed.', { channel: channel.name, ...fieldsOf(error) });
  });
}
