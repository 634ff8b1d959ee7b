// The questions asked first of the poller's log, in the language of CloudWatch Logs Insights.
import { GAP_MESSAGE } from '../../../functions/source/log-messages.ts';

/** The lines of runs, those that a tick began included. */
const RUNS = 'filter message in ["Polled.", "Ticked."]';

/** Each line but the first begins with a bar in the query. */
export const POLLER_QUERIES = {
  isItRead: [
    RUNS,
    'stats max(@timestamp) as at, latest(outcome) as result, latest(lagMs) / 60000 as lagMinutes, sum(requests) as sent by sourceId',
    'sort lagMinutes desc',
  ],
  whyNot: [
    'filter ispresent(FailedPoll) or outcome in ["skipped", "paused"]',
    'fields coalesce(code, reason) as why',
    'stats count(*) as runs, max(@timestamp) as last by sourceId, why',
    'sort last desc',
  ],
  howMany: [
    RUNS,
    'stats sum(entriesRead) as entries, sum(eventsPublished) as published, sum(duplicatesSuppressed) as duplicates, sum(quarantined) as quarantine by bin(1h)',
  ],
  whatIsMissing: [
    `filter message = "${GAP_MESSAGE}"`,
    'fields @timestamp, sourceId, `from`, `to`, reason',
    'sort @timestamp desc',
  ],
} as const;
