import { notice } from './catalogued.ts';
import { count, object, type ValueOf } from './schema.ts';

export const lateEntriesFound = notice({
  type: 'LateEntriesFound',
  when: 'A run has published entries that became visible later than the recent sweep looks back. Their events have `metadata.late: true`.',
  use: 'Nothing, unless it is the rule: then a longer `advanced.lookback.recent` finds them sooner. Whoever has closed a day looks at it again.',
  data: object({ count: count('How many entries') }),
  example: { count: 3 },
});

/** `data` of LateEntriesFound. */
export type LateEntriesFoundData = ValueOf<typeof lateEntriesFound.data>;
