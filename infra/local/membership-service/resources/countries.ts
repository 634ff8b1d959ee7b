// Countries to choose from. Their payload is not shown in the interface document: every field is invented.
import type { AnswerFunction } from '../operations.ts';
import { COUNTRY } from '../record-names.ts';
import { toRecord } from '../record-shape.ts';

export const listCountries: AnswerFunction = ({ organisation }, { personality }) => ({
  data: organisation.countries.map((country) => toRecord(COUNTRY, personality.records, country)),
});
