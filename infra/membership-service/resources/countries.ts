// Countries to choose from. Every field is invented: the interface document does not show their payload.
import type { AnswerFunction } from '../http/operations.ts';
import { COUNTRY } from '../records/record-names.ts';
import { toRecord } from '../records/record-shape.ts';

export const listCountries: AnswerFunction = ({ organisation }, { personality }) => ({
  data: organisation.countries.map((country) => toRecord(COUNTRY, personality.records, country)),
});
