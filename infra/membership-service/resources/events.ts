// Calendar events. Every field is invented: the interface document does not show their payload.
import type { AnswerFunction } from '../http/operations.ts';
import { CALENDAR_EVENT } from '../records/record-names.ts';
import { toRecord } from '../records/record-shape.ts';
import { pageByOffset } from '../http/page-of.ts';

export const listEvents: AnswerFunction = ({ query, organisation }, { personality }) => ({
  data: pageByOffset(organisation.events, query).map((event) => toRecord(CALENDAR_EVENT, personality.records, event)),
});
