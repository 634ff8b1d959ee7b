// Countries to choose from. Their payload is not shown in the interface document: every field is invented.
import type { AnswerFunction } from '../http/operations.ts';
import { COUNTRY } from '../records/record-names.ts';
import { toRecord } from '../records/record-shape.ts';

export const listCountries: AnswerFunction = ({ organisation }, { personality }) => ({
  data: organisation.countries.map((country) => toRecord(COUNTRY, personality.records, country)),
});
