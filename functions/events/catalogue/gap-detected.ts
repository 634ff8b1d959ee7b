import { notice } from './catalogued.ts';
import { instant, instantOrNull, object, oneOf, type ValueOf } from './schema.ts';

export const gapDetected = notice({
  type: 'GapDetected',
  when: 'A span of the log may not have been read as a whole. What could be read of it is published; a gap that grows is told again.',
  use: 'Compare the span with the log in the admin panel. A consumer that needs every entry marks the span as doubtful.',
  data: object(
    {
      from: instantOrNull('Where the span begins; null where it has no beginning'),
      to: instant('Where it ends'),
      reason: oneOf(
        ['outage', 'refused', 'unpaged', 'unfinished', 'filtersNotHonoured'],
        '`outage`: the bridge was off for longer than it remembers what it has published. `refused`, `unpaged`: the service did not give the span, or not to its end, and it cannot be cut any further. `unfinished`: it cannot be cut either, and 30 runs were too short to read it, or 200 where its pages go round in a circle. `filtersNotHonoured`: entries known to lie in it did not come back',
      ),
    },
    {
      level: oneOf(
        ['recent', 'settle', 'reconcile', 'past'],
        'Of the sweep that could not read it; absent for an outage',
      ),
    },
  ),
  example: { from: '2026-11-20T09:12:00.000Z', to: '2026-11-20T09:12:01.000Z', reason: 'unpaged', level: 'recent' },
});

/** `data` of GapDetected. */
export type GapDetectedData = ValueOf<typeof gapDetected.data>;
