// Applications for membership: dictionaries of texts. The interface document does not show their keys.
import type { AnswerFunction } from '../http/operations.ts';
import { textOf } from '../http/parameters.ts';
import { APPLICATION } from '../records/record-names.ts';
import { toRecord } from '../records/record-shape.ts';
import { pageByOffset } from '../http/page-of.ts';

/** `searchText` finds applications in which any text contains it, ignoring case. */
export const listApplications: AnswerFunction = ({ query, organisation }, { personality }) => {
  const text = textOf(query, 'searchText')?.toLowerCase() ?? '';
  const found = [...organisation.applications.values()].filter((application) =>
    Object.values(application).some((value) => value.toLowerCase().includes(text)),
  );
  return { data: pageByOffset(found, query).map((one) => toRecord(APPLICATION, personality.records, one)) };
};
