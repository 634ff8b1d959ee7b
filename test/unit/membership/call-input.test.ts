import { describe, expect, test } from 'vitest';
import { toCallRequest, toFilter } from '../../../functions/membership/call-input.ts';
import { encodeQuery } from '../../../functions/membership/query.ts';
import { operationOf } from '../../../functions/membership/operations.ts';
import { parseJson, type JsonObject } from '../../../functions/shared/json.ts';

const ORGANISATION = 'C7F11AF2-04D9-47CE-B4ED-63FE38EB5997';
const ID = '48699cf4-9a9a-4046-8859-a641dc927767';

describe('the request of a call', () => {
  test('has the parameters in the order of the table, and none that is empty or absent (S13)', () => {
    const request = toCallRequest(
      operationOf('listActionLogs'),
      { startDate: '2026-11-20T09:00:00', pageSize: 5, requestContinuation: '', actionKeys: undefined },
      undefined,
    );

    expect(request).toEqual({
      path: '/app/actionlogs',
      query: [
        ['pageSize', '5'],
        ['startDate', '2026-11-20T09:00:00'],
      ],
      body: null,
    });
  });

  test('has the ids in its path, and the body as JSON with numbers beyond 2^53 as they came (S18)', () => {
    const body = parseJson('{"amount":1.0,"ledger":90071992547409931}') as JsonObject;

    const request = toCallRequest(operationOf('updateDebt'), { id: ID, body }, ORGANISATION);

    expect(request.path).toBe(`/organisations/${ORGANISATION}/debts/${ID}`);
    expect(request.body).toBe('{"amount":1.0,"ledger":90071992547409931}');
  });
});

describe('a filter', () => {
  test('is JSON in base64, and arrives through the query as it was', () => {
    const filter = { name: 'Žofie ~?>', note: '€🙂' };

    const { query } = toCallRequest(operationOf('listContacts'), { q: filter }, ORGANISATION);

    const url = new URL(`https://host/${encodeQuery(query)}`);
    const sent = url.searchParams.get('q') ?? '';
    expect(sent).toBe(toFilter(filter));
    expect(sent).toMatch(/^[A-Za-z0-9+/]+=*$/);
    expect(JSON.parse(Buffer.from(sent, 'base64').toString('utf8'))).toEqual(filter);
  });
});

describe('a call that cannot be sent', () => {
  const get = operationOf('getDebt');
  const secret = 'admin@example.org';

  test.each([
    ['an id that is missing', get, {}, 'id is missing'],
    ['an id that is no UUID', get, { id: `../${secret}` }, 'id is no UUID'],
    ['an id with a UUID in it', get, { id: `${ID}/..` }, 'id is no UUID'],
    ['an id of another type', get, { id: 7 }, 'id is no UUID'],
    ['an organisation that is no UUID', get, { id: ID, organisationId: secret }, 'organisationId is no UUID'],
    ['a member that is no UUID', operationOf('listActionLogs'), { organisationMembershipId: secret }, 'is no UUID'],
    ['a page size that is no number', operationOf('listContacts'), { pageSize: '5' }, 'pageSize is no whole number'],
    ['a page size with a fraction', operationOf('listContacts'), { pageSize: 1.5 }, 'pageSize is no whole number'],
    ['an offset beyond 32 bits', operationOf('listContacts'), { offset: 2 ** 31 }, 'offset is no whole number'],
    ['a text that is none', operationOf('listTags'), { text: 5 }, 'text is no text'],
    ['a filter that is a text', operationOf('listContacts'), { q: secret }, 'q is no object'],
    ['a body that is missing', operationOf('createDebt'), {}, 'body is missing'],
    ['a body that is a list', operationOf('createDebt'), { body: [secret] }, 'body is no object'],
    ['a body where there is none', get, { id: ID, body: {} }, 'it does not take "body"; it takes organisationId, id'],
    ['a time that is none', get, { id: ID, timeoutMs: Number.NaN }, 'timeoutMs is no span of time'],
    ['a time before now', get, { id: ID, timeoutMs: -1 }, 'timeoutMs is no span of time'],
    ['a name that is not known', operationOf('listDebts'), { organizationId: ID }, 'it does not take "organizationId"'],
  ])('because of %s says so, and repeats no value', (_, operation, input, problem) => {
    const call = (): unknown => toCallRequest(operation, input, ORGANISATION);

    expect(call).toThrow(
      expect.objectContaining({
        code: 'RequestInvalid',
        retryable: false,
        message: expect.stringContaining(problem) as unknown,
        details: { operation: operation.name, status: null, requestId: null },
      }),
    );
    expect(call).not.toThrow(secret);
  });
});
