// The organisation's settings. Their payload is not shown in the interface document: every field is invented.
import type { AnswerFunction } from '../operations.ts';
import { SETTINGS } from '../record-names.ts';
import { toRecord } from '../record-shape.ts';

export const getSettings: AnswerFunction = ({ organisation }, { personality }) => {
  const { timeZone } = personality.stamps;
  return { data: toRecord(SETTINGS, personality.records, { ...organisation, timeZone }) };
};
