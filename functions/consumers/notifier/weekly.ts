// A weekly digest. Its schedule invokes the notifier every day: what could not be sent on its day is sent on one of the
// next ones, because SQS keeps messages for 14 days, which are only two digests.
import { drain, type DrainResult } from './drain.ts';
import type { Delivery } from './deliver.ts';
import type { MessageQueue } from './ports.ts';
import { WEEKDAYS, type Weekday } from './wording.ts';

const DAY_MS = 86_400_000;
/** Claims outlive the invocation by this much, because clocks differ. */
const CLAIM_MARGIN_MS = 5_000;

type Week = { digestOn: Weekday; timeZone: string };

/** The digest that was last due on the day of `at` (ms since 1970) or before, by the date of its day: `2026-11-23`. */
export function lastDue(at: number, { digestOn, timeZone }: Week): string {
  const date = new Intl.DateTimeFormat('sv-SE', { timeZone }).format(at);
  const midnight = Date.parse(`${date}T00:00:00Z`);
  const days = (new Date(midnight).getUTCDay() - 1 - WEEKDAYS.indexOf(digestOn) + 7) % 7;
  return new Date(midnight - days * DAY_MS).toISOString().slice(0, 10);
}

/** Drains the queue if the digest that was last due before `at` was not sent yet. Rejects like `drain`. */
export async function drainWeekly(
  queue: MessageQueue,
  delivery: Delivery,
  { at, ...week }: Week & { at: number },
): Promise<DrainResult> {
  const { channel, store, owner, deadlineAt } = delivery;
  const ids = [`digest of ${lastDue(at, week)}`];
  const { claimed } = await store.claim(channel.name, ids, { owner, until: deadlineAt + CLAIM_MARGIN_MS });
  if (claimed.length === 0) return { channel: channel.name, outcome: 'not-due', messages: 0 };
  const release = async (): Promise<void> => await store.release(channel.name, ids).catch(() => {});
  const result = await drain(queue, delivery).catch(async (error: unknown) => {
    await release();
    throw error;
  });
  await (result.outcome === 'disabled' ? release() : store.complete(channel.name, ids));
  return result;
}
