// Countries to choose from. Every field is invented: the interface document does not show their payload.
import type { AnswerFunction } from '../http/operations.ts';
import { COUNTRY } from '../records/record-names.ts';
import { toRecord } from '../records/record-shape.ts';
import { pageByOffset } from '../http/page-of.ts';

export const listCountries: AnswerFunction = ({ query, organisation }, { personality }) => ({
  data: pageByOffset(organisation.countries, query).map((country) => toRecord(COUNTRY, personality.records, country)),
});
