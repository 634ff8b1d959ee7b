import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '../../functions/membership/operation.ts';
import { OPERATIONS, type OperationName } from '../../functions/membership/operations.ts';
import { type MembershipService, startMembershipService } from '../../infra/membership-service/service.ts';
import { type Caller, callerOf, started } from './caller.ts';

const PERSONALITIES = ['ordinary', 'endless'] as const;
const AUTHORIZED = OPERATIONS.filter(({ authorization }) => authorization === 'bearer');

/** The first item of each collection of the seeded organisation, and bodies that change it, in both styles. */
function materialOf(service: MembershipService, things: Things) {
  const isShort = service.personality.records === 'short';
  const money = isShort
    ? { sum: { value: 5 }, payer: things.contacts, debtor: things.contacts }
    : { amount: 5, contactId: things.contacts };
  const bodies: Partial<Record<string, object>> = {
    tags: isShort ? { label: 'New' } : { name: 'New' },
    contacts: isShort ? { person: { displayName: 'New' } } : { name: 'New' },
    members: isShort ? { contacts: [things.contacts] } : { memberIds: [things.contacts] },
  };
  return {
    pathOf: ({ path, resource }: Operation): string =>
      path.replace('{organisationId}', service.organisationId).replace('{id}', things[resource as keyof Things] ?? ''),
    bodyOf: ({ path, resource }: Operation): object =>
      (path.endsWith('Members') ? bodies['members'] : bodies[resource]) ?? money,
  };
}

type Things = { contacts: string; debts: string; donations: string; payments: string; plans: string; tags: string };

async function startedWithThings(personality: (typeof PERSONALITIES)[number], without: OperationName[] = []) {
  const service = await started({ personality, without });
  const caller = await callerOf(service);
  const firstId = async (path: string): Promise<string> => {
    const text = await (await caller.get(path)).text();
    return /"(?:\w+Id|id)":"([-\da-f]{36})"/.exec(text)?.[1] ?? '';
  };
  const organisation = `/organisations/${service.organisationId}`;
  const things: Things = {
    contacts: await firstId(`${organisation}/contacts`),
    debts: await firstId(`${organisation}/debts`),
    donations: await firstId(`${organisation}/donations`),
    payments: await firstId(`${organisation}/payments`),
    plans: await firstId(`${organisation}/plans`),
    tags: await firstId(`/admin${organisation}/tags`),
  };
  const { pathOf, bodyOf } = materialOf(service, things);
  const call = async (operation: Operation): Promise<Response> => {
    const isWithBody = operation.method === 'POST' || operation.method === 'PUT';
    return await caller.send(operation.method, pathOf(operation), isWithBody ? bodyOf(operation) : undefined);
  };
  return { service, caller, call };
}

/** The kind of an answer: nothing, a list or an object, in the envelope or bare. */
function kindOf(text: string): string {
  if (text === '') return 'none';
  const body: unknown = JSON.parse(text);
  if (Array.isArray(body)) return 'array';
  if (typeof body !== 'object' || body === null) return typeof body;
  if (!('isValid' in body && 'data' in body)) return 'one';
  return Array.isArray(body.data) ? 'envelopeList' : 'envelopeOne';
}

/** Path-only lists and records, as each personality wraps them. */
const LISTS: readonly string[] = ['listTagMembers', 'listContacts', 'listEvents', 'listBoards', 'listCountries'];
const WRAPPED = { ordinary: ['envelopeList', 'envelopeOne'], endless: ['array', 'one'] } as const;

function expectedKind({ name, answer: { kind } }: Operation, personality: (typeof PERSONALITIES)[number]): string {
  if (kind === 'notShown') return WRAPPED[personality][LISTS.includes(name) ? 0 : 1];
  return kind === 'object' ? 'one' : kind;
}

describe.each(PERSONALITIES)('in %s', (personality) => {
  it.each(AUTHORIZED)('$name answers with its documented status and shape', async (operation: Operation) => {
    const { service, call } = await startedWithThings(personality);

    const answer = await call(operation);

    const kind = expectedKind(operation, personality);
    expect([answer.status, kindOf(await answer.text())]).toEqual([operation.answer.status, kind]);
    expect(answer.headers.get('content-type')).toBe(kind === 'none' ? null : 'application/json; charset=utf-8');
    expect(service.entries().length > 0).toBe(operation.method !== 'GET');
  });
});

/** Each in turn is sent to one service, which logs none of them. */
describe('a refused request', () => {
  const UNKNOWN = '00000000-0000-4000-8000-000000000000';
  let service: MembershipService;
  let caller: Caller;
  beforeAll(async () => {
    service = await startMembershipService({});
    caller = await callerOf(service);
  });
  afterAll(async () => await service.close());

  const statusOf = async ({ method, path }: Operation, organisationId: string, id: string): Promise<number> =>
    (await caller.send(method, path.replace('{organisationId}', organisationId).replace('{id}', id))).status;

  it.each(AUTHORIZED)('$name, has no token (401)', async ({ method, path }: Operation) => {
    const answer = await fetch(`${service.url}${path.replaceAll(/\{\w+\}/g, UNKNOWN)}`, { method });

    expect(answer.status).toBe(401);
  });

  it.each(AUTHORIZED.filter(({ path }) => path.includes('{organisationId}')))(
    '$name, names another organisation (403) or none (400)',
    async (operation: Operation) => {
      expect(await statusOf(operation, UNKNOWN, UNKNOWN)).toBe(403);
      expect(await statusOf(operation, 'mine', UNKNOWN)).toBe(400);
      expect(service.entries()).toEqual([]);
    },
  );

  it.each(AUTHORIZED.filter(({ path }) => path.includes('{id}')))(
    '$name, names an id that is unknown (404) or none (400)',
    async (operation: Operation) => {
      expect(await statusOf(operation, service.organisationId, UNKNOWN)).toBe(404);
      expect(await statusOf(operation, service.organisationId, 'x')).toBe(400);
      expect(service.entries()).toEqual([]);
    },
  );
});

describe('an operation that the service lacks', () => {
  it.each(['getDebt', 'listTags', 'updateTag'] as const)('is only %s (501)', async (name) => {
    const { call } = await startedWithThings('ordinary', [name]);

    const missing: string[] = [];
    for (const operation of AUTHORIZED) if ((await call(operation)).status === 501) missing.push(operation.name);

    expect(missing).toEqual([name]);
  });
});

describe('a refusal', () => {
  it('is in the envelope if the answer would be, otherwise bare', async () => {
    const { service, caller } = await startedWithThings('endless');
    const organisation = `/organisations/${service.organisationId}`;
    const shapes: string[] = [];

    for (const path of ['plans', 'debts', 'contacts']) {
      const answer = await caller.get(`${organisation}/${path}/${path === 'contacts' ? '' : 'x'}`.replace(/\/$/, ''), {
        q: 'x',
      });
      shapes.push(Object.keys((await answer.json()) as object).join());
    }

    expect(shapes).toEqual(['data,isValid,errors', 'code,message', 'code,message']);
  });

  it("has the personality's status (A26)", async () => {
    const statuses: number[][] = [];

    for (const personality of PERSONALITIES) {
      const { service, caller } = await startedWithThings(personality);
      const path = `/organisations/${service.organisationId}/debts`;
      statuses.push([(await caller.post(path, '[]')).status, (await caller.post(path, {})).status]);
    }

    expect(statuses).toEqual([
      [400, 400],
      [400, 422],
    ]);
  });
});
