// Destinations that nobody defines any more: they were removed, or taken out of cdk.json.
import { nameIn } from '../destinations/destination.ts';
import type { View } from './deliver-batch.ts';
import type { Surroundings } from './ports.ts';

/** A deployment that is rolled back within it loses nothing. */
const FORGOTTEN_AFTER_MS = 3_600_000;
/** Later than anything is due. */
const FAR_MS = 366 * 86_400_000;
const AT_A_TIME = 100;

/** What waits for them is thrown away after an hour, with lines of the log and a notice, then what is known of them. */
export async function forgetUndefined(
  { states, defined }: Pick<View, 'states' | 'defined'>,
  { table, clock, log, tell }: Pick<Surroundings, 'table' | 'clock' | 'log' | 'tell'>,
  deadlineAt: number,
): Promise<void> {
  for (const { id, undefinedSince } of states.values()) {
    const now = clock.now();
    const isDefined = defined.has(id);
    if (isDefined !== (undefinedSince === null)) await table.note(id, { undefinedSince: isDefined ? null : now });
    if (isDefined || undefinedSince === null || now - undefinedSince < FORGOTTEN_AFTER_MS) continue;
    let due = await table.readDue(id, now + FAR_MS, AT_A_TIME);
    const [{ sourceId } = { sourceId: '' }] = due;
    let count = 0;
    while (due.length > 0 && clock.now() < deadlineAt) {
      const events = due.map(({ eventId }) => eventId);
      log.warn('Deliveries to a destination that nobody defines are thrown away.', { destination: id, events });
      count += due.length;
      await table.moveDue(due.map((from) => ({ from, to: null })));
      due = await table.readDue(id, now + FAR_MS, AT_A_TIME);
    }
    if (count > 0) await tell({ sourceId, type: 'WebhookDeliveriesGivenUp', name: nameIn(id), count, at: now });
    if (due.length === 0) await table.deleteState(id);
  }
}
