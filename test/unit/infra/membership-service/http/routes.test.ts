import { expect, it } from 'vitest';
import { refusal, Refused } from '../../../../../infra/membership-service/answers.ts';
import { findOperation } from '../../../../../infra/membership-service/http/routes.ts';

const UUID = '36a7fce2-631c-4db1-93b1-af998eda181c';
const ID = '7fcdcd39-d316-4ca7-ae03-1d60d70232fc';

it.each(['/organisations/{organisationId}/debts/', '/app/actionlogs/', `/organisations/${UUID}/debts/${ID}/more`, '/'])(
  'no operation is found at %s',
  (path) => {
    expect(() => findOperation('GET', path)).toThrow(expect.objectContaining({ status: 404 }));
  },
);

it.each([
  [`/organisations/${UUID}/debts/${ID}`, 'GET, PUT, DELETE'],
  ['/token', 'POST'],
])('a 405 for %s names what the path takes in its header Allow', (path, allow) => {
  expect(() => findOperation('PATCH', path)).toThrow(expect.objectContaining({ status: 405, headers: { allow } }));
  expect(refusal(new Refused(405, '', { allow })).headers).toEqual({ allow });
});
