import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../../../functions/membership/operations.ts';
import {
  implementation,
  implementationWithout,
} from '../../../../../infra/membership-service/resources/implementation.ts';
import { refusal, Refused } from '../../../../../infra/membership-service/answers.ts';
import { findOperation } from '../../../../../infra/membership-service/http/routes.ts';

const UUID = '36a7fce2-631c-4db1-93b1-af998eda181c';
const ID = '7fcdcd39-d316-4ca7-ae03-1d60d70232fc';

describe('findOperation', () => {
  it.each(OPERATIONS)('finds $name by $method $path', ({ name, method, path }) => {
    const { operation, parameters } = findOperation(method, path.replace('{organisationId}', UUID).replace('{id}', ID));

    expect(operation.name).toBe(name);
    expect(parameters).toEqual({
      ...(path.includes('{organisationId}') ? { organisationId: UUID } : {}),
      ...(path.includes('{id}') ? { id: ID } : {}),
    });
  });

  it.each([
    ['GET', '/organisations/{organisationId}/debts/', 404],
    ['GET', '/app/actionlogs/', 404],
    ['GET', `/organisations/${UUID}/debts/${ID}/more`, 404],
    ['GET', '/', 404],
    ['PATCH', `/organisations/${UUID}/debts/${ID}`, 405],
    ['DELETE', '/token', 405],
  ])('refuses %s %s with %i', (method, path, status) => {
    expect(() => findOperation(method, path)).toThrow(expect.objectContaining({ status }));
  });
});

it.each([
  [`/organisations/${UUID}/debts/${ID}`, 'GET, PUT, DELETE'],
  ['/token', 'POST'],
])('a 405 for %s names what the path takes in its header Allow', (path, allow) => {
  expect(() => findOperation('PATCH', path)).toThrow(expect.objectContaining({ status: 405, headers: { allow } }));
  expect(refusal(new Refused(405, '', { allow })).headers).toEqual({ allow });
});

describe('the implementation', () => {
  it('has every operation of the table, and no other', () => {
    expect(Object.keys(implementation)).toEqual(OPERATIONS.map(({ name }) => name));
  });

  it('leaves out exactly the named operations', () => {
    const rest = Object.keys(implementationWithout(['getDebt', 'listTags']));

    expect(rest).toEqual(Object.keys(implementation).filter((name) => !['getDebt', 'listTags'].includes(name)));
  });
});
