import { notice } from './catalogued.ts';
import { object, oneOf, text, type ValueOf } from './schema.ts';

export const sourceNeedsAttention = notice({
  type: 'SourceNeedsAttention',
  when: 'A trouble of this source has begun. Sent once for each trouble and source: for a version of the secret, else for a day (UTC).',
  use: 'Tell a person. `alarmEmail` gets its message as a mail.',
  data: object({
    trouble: oneOf(
      ['credentialsRefused', 'entriesQuarantined', 'gapDetected', 'sweepOverdue', 'scheduleOutdated'],
      'What has begun',
    ),
    message: text('What happened and what it means, in one sentence'),
  }),
  example: {
    trouble: 'gapDetected',
    message: 'A span of the log could not be read as a whole: entries may be missing.',
  },
});

/** `data` of SourceNeedsAttention. */
export type SourceNeedsAttentionData = ValueOf<typeof sourceNeedsAttention.data>;
