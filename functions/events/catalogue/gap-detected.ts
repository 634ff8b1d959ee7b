import { notice } from './catalogued.ts';
import { count, instant, instantOrNull, object, oneOf, text, type ValueOf } from './schema.ts';

export const gapDetected = notice({
  type: 'GapDetected',
  when: 'A span of the log may not have been read completely. The part that could be read is published. One that goes on has a notice at once, then one an hour for the whole span.',
  use: 'Compare the span with the log in the admin panel. A consumer that needs every entry marks the span as doubtful.',
  data: object(
    {
      from: instantOrNull('Start of the span; null if it has none'),
      to: instant('End of the span'),
      reason: oneOf(
        ['outage', 'refused', 'unpaged', 'unfinished', 'filtersNotHonoured', 'unsteady', 'resultsWindow', 'pageBorder'],
        '`outage`: the bridge was off for longer than it remembers published entries. `refused`, `unpaged`: the service refused the span, or did not page to its end, and the span cannot be split further. `unfinished`: it cannot be split either, and 30 runs were too short to read it, or 200 if its pages form a cycle. `filtersNotHonoured`: known entries of the span were missing from the answer. `unsteady`: each of three readings of the span showed something new. `resultsWindow`, `pageBorder`: more entries may share this time than the service shows',
      ),
    },
    {
      level: oneOf(
        ['recent', 'settle', 'reconcile', 'past', 'backfill'],
        'Of the sweep that could not read it; absent for an outage',
      ),
      count: count('Of a gap that went on: the spans added since the notice before, less than ten minutes apart'),
      remedy: text('What to do, where a command can do it'),
    },
  ),
  example: { from: '2026-11-20T09:12:00.000Z', to: '2026-11-20T09:12:01.000Z', reason: 'unpaged', level: 'recent' },
});

/** `data` of GapDetected. */
export type GapDetectedData = ValueOf<typeof gapDetected.data>;
