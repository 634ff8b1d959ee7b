import { expect, it } from 'vitest';
import type { Operation } from '../../functions/membership/operation.ts';
import { OPERATIONS } from '../../functions/membership/operations.ts';
import { callerOf, started } from './caller.ts';

const AUTHORIZED: readonly Operation[] = OPERATIONS.filter(({ authorization }) => authorization === 'bearer');
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

it('no refused request of any operation is logged', async () => {
  const service = await started();
  const caller = await callerOf(service);
  const statuses = new Set<number>();

  for (const { method, path } of AUTHORIZED) {
    for (const organisationId of [service.organisationId, UNKNOWN, 'mine']) {
      const address = path.replace('{organisationId}', organisationId).replace('{id}', UNKNOWN);
      statuses.add((await caller.send(method, address)).status);
    }
  }

  expect(statuses).toEqual(new Set([200, 400, 403, 404]));
  expect(service.entries()).toEqual([]);
});

it('an operation that the service lacks is answered 501', async () => {
  const service = await started({ without: ['listDebts'] });
  const caller = await callerOf(service);

  expect((await caller.get(`/organisations/${service.organisationId}/debts`)).status).toBe(501);
});

it('a refusal is in the envelope if the answer would be, otherwise bare', async () => {
  const service = await started({ personality: 'endless' });
  const caller = await callerOf(service);
  const organisation = `/organisations/${service.organisationId}`;

  const answers = await Promise.all(
    ['plans/x', 'debts/x', 'contacts?q=x'].map((path) => caller.get(`${organisation}/${path}`)),
  );

  const shapes = await Promise.all(answers.map(async (answer) => Object.keys((await answer.json()) as object).join()));
  expect(shapes).toEqual(['data,isValid,errors', 'code,message', 'code,message']);
});
