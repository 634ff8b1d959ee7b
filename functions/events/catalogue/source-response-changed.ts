import { notice } from './catalogued.ts';
import { object, text, textOrNull, type ValueOf } from './schema.ts';

export const sourceResponseChanged = notice({
  type: 'SourceResponseChanged',
  when: 'The service answers otherwise than it did, or than the settings say. The bridge goes on by what it has learned.',
  use: 'For `timeZone` check the setting, for `idField` name the field in `fields.id`. Else read [the assumptions](membership-service.md): nothing is lost, but events may come later, twice, or cost more requests.',
  data: object({
    kind: text(
      'Which fact: `continuation`, `entryContent`, `filters`, `idField`, `startDate`, `stampForm`, `timeField`, `timeZone`, `walkEnd`; more may be added',
    ),
    before: textOrNull('What was taken for true; null where nothing was'),
    after: textOrNull('What is; null where nothing is known any more'),
  }),
  example: { kind: 'startDate', before: 'honoured', after: 'ignored' },
});

/** `data` of SourceResponseChanged. */
export type SourceResponseChangedData = ValueOf<typeof sourceResponseChanged.data>;
