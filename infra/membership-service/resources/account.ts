// The calling user. Documented is only that the answer has the organisations that the user can access (A23).
import type { AnswerFunction } from '../http/operations.ts';
import { ACCOUNT, REACHABLE } from '../records/record-names.ts';
import { toRecord } from '../records/record-shape.ts';

export const getAccount: AnswerFunction = ({ user }, { personality: { records }, state }) => {
  const { username = '', name = '', role = '', organisationIds = [] } = user ?? {};
  const organisations = organisationIds
    .flatMap((id) => state.organisations.get(id) ?? [])
    .map((organisation) => toRecord(REACHABLE, records, { id: organisation.id, name: organisation.name, role }));
  return { data: toRecord(ACCOUNT, records, { email: username, name, organisations }) };
};
