// The organisation's settings. Their payload is not shown in the interface document: every field is invented.
import type { AnswerFunction } from '../http/operations.ts';
import { SETTINGS } from '../records/record-names.ts';
import { toRecord } from '../records/record-shape.ts';

export const getSettings: AnswerFunction = ({ organisation }, { personality }) => {
  const { timeZone } = personality.stamps;
  return { data: toRecord(SETTINGS, personality.records, { ...organisation, timeZone }) };
};
