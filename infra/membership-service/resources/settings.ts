// The organisation's settings. Every field is invented: the interface document does not show their payload.
import type { AnswerFunction } from '../http/operations.ts';
import { SETTINGS } from '../records/record-names.ts';
import { toRecord } from '../records/record-shape.ts';

export const getSettings: AnswerFunction = ({ organisation }, { personality }) => {
  const { timeZone } = personality.stamps;
  return { data: toRecord(SETTINGS, personality.records, { ...organisation, timeZone }) };
};
