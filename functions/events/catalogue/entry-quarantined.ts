import { notice } from './catalogued.ts';
import { object, text, uuid, type ValueOf } from './schema.ts';

export const entryQuarantined = notice({
  type: 'EntryQuarantined',
  when: 'The bus has refused an entry for good. The whole entry is in quarantine, and publishing continues with the others. (An entry that is too large for the bus has its own event without `data`, not this notice.)',
  use: 'Look the entry up in quarantine by `eventId`.',
  data: object({
    eventId: uuid('`metadata.id` of the event that was refused'),
    reason: text('The error code of the bus'),
  }),
  example: { eventId: 'db32c7b1-7fc1-8507-931e-00ff6e4ad56e', reason: 'MalformedDetail' },
});

/** `data` of EntryQuarantined. */
export type EntryQuarantinedData = ValueOf<typeof entryQuarantined.data>;
