// Rows about access: without a token, with an expired one, for another organisation, in a restricted role.
import { expect } from 'vitest';
import type { Operation } from '../../../functions/membership/operation.ts';
import type { Row } from './row.ts';
import { UNKNOWN_ID } from './subjects.ts';
import { send, type Call, type World } from './world.ts';

export function accessRows(operation: Operation): Row[] {
  const call = { id: UNKNOWN_ID, ...emptyBody(operation) };
  const refused = (title: string, status: number, of: (world: World) => Call, more: Partial<Row> = {}): Row => ({
    title,
    ...more,
    run: async (world) => expect((await send(world, operation, { ...call, ...of(world) })).status).toBe(status),
  });
  const another = refused(
    'answers 403 for an organisation that its user does not administer',
    403,
    ({ otherOrganisationId }) => ({ organisationId: otherOrganisationId }),
    { assumption: 'A26' },
  );
  return [
    refused('answers 401 without a token', 401, () => ({ token: null })),
    refused('answers 401 to an unknown token', 401, () => ({ token: 'never-issued' })),
    refused('answers 401 to an expired token', 401, ({ expiredToken }) => ({ token: expiredToken }), {
      localOnly: 'A token expires after an hour.',
    }),
    ...(operation.path.includes('{organisationId}') ? [another] : []),
    roleRow(operation),
  ];
}

/** The resources that the local service opens to a role restricted to finance. */
const FINANCE = ['account', 'debts', 'donations', 'payments', 'plans'];

function roleRow(operation: Operation): Row {
  const isLog = operation.resource === 'actionLogs';
  const isFinance = FINANCE.includes(operation.resource);
  return {
    title: isLog
      ? 'answers 403 to a role restricted to finance, or answers as usual'
      : `${isFinance ? 'is available to' : 'answers 403 to'} a role restricted to finance`,
    assumption: isLog ? 'A17' : 'A28',
    localOnly: 'There is no second user to test with.',
    run: async (world) => {
      const isOpen = isFinance || (isLog && world.personality?.restrictedLog === 'everything');
      const call = { id: UNKNOWN_ID, ...emptyBody(operation), token: world.restrictedToken };
      const { status } = await send(world, operation, call);
      if (!isOpen) return expect(status).toBe(403);
      // A write has an empty body here, and ids are unknown.
      const { unknownId, invalidBody } = world.personality?.refusals ?? {};
      expect([200, unknownId, invalidBody]).toContain(status);
    },
  };
}

/** An empty body for operations with a body, in rows where its content does not matter. */
export function emptyBody({ body }: Operation): { body?: string } {
  return body === null ? {} : { body: '{}' };
}
