import { notice } from './catalogued.ts';
import { count, object, type ValueOf } from './schema.ts';

export const lateEntriesFound = notice({
  type: 'LateEntriesFound',
  when: 'A run has published entries that became visible later than the recent sweep looks back. Their events have `metadata.late: true`.',
  use: 'Nothing, unless it happens regularly: a longer `advanced.lookback.recent` then finds them sooner. Check a day again that was already closed.',
  data: object({ count: count('The number of entries') }),
  example: { count: 3 },
});

/** `data` of LateEntriesFound. */
export type LateEntriesFoundData = ValueOf<typeof lateEntriesFound.data>;
