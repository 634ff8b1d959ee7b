// Walks through the letters of a queue. A received letter is hidden from others for a while, and is given back unless
// it was deleted: whoever is killed in between loses nothing.
import type { OperatorCloud, ReceivedLetter } from '../bridge/ports.ts';

type Letters = Pick<OperatorCloud, 'receiveLetters' | 'returnLetter'>;

/** How long a received letter is hidden from others: longer than a consumer takes for an event. */
const HIDDEN_SECONDS = 60;
const BATCH = 10;
/** SQS asks all of its servers when it waits, so one empty answer means that nothing is visible. */
const WAIT_SECONDS = 2;

export type Disposition = 'deleted' | 'kept';

/**
 * Hands each letter to `take`, several at a time, at most `max` of them; letters that it keeps become visible again at
 * the end. Rejects with what `take` rejects with, after the letters were given back.
 */
export async function walkQueue(
  cloud: Letters,
  queueArn: string,
  { max, take }: { max: number; take: (letter: ReceivedLetter) => Promise<Disposition> },
): Promise<void> {
  const kept: ReceivedLetter[] = [];
  const met = new Set<string>();
  try {
    while (met.size < max) {
      const request = { queueArn, max: Math.min(BATCH, max - met.size), hiddenSeconds: HIDDEN_SECONDS };
      const batch = await cloud.receiveLetters({ ...request, waitSeconds: WAIT_SECONDS });
      // A letter that comes again was kept, and all others have been met.
      const fresh = batch.filter(({ id }) => !met.has(id));
      if (fresh.length === 0) break;
      for (const { id } of fresh) met.add(id);
      kept.push(...batch);
      await Promise.all(
        fresh.map(async (letter) => {
          if ((await take(letter)) === 'deleted') kept.splice(kept.indexOf(letter), 1);
        }),
      );
    }
  } finally {
    await Promise.all(kept.map(async ({ receipt }) => await cloud.returnLetter(queueArn, receipt)));
  }
}
