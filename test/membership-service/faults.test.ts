import { describe, expect, it } from 'vitest';
import type { MembershipService } from '../../infra/membership-service/service.ts';
import { callerOf, logIn, readPage, started, type Caller } from './caller.ts';

const LOG = '/app/actionlogs';

async function startedWithCaller(): Promise<{ service: MembershipService; caller: Caller }> {
  const service = await started({ history: { entries: 20, days: 1 } });
  return { service, caller: await callerOf(service) };
}

describe('a fault', () => {
  it.each([
    ['errorRate', { errorRate: 1 }, 500, 'application/json'],
    ['forbid', { forbid: true }, 403, 'application/json'],
    ['htmlRate', { htmlRate: 1 }, 200, 'text/html'],
    ['nextStatus', { nextStatus: [418] }, 418, 'application/json'],
  ])('%s answers accordingly until it is switched off', async (_name, faults, status, type) => {
    const { service, caller } = await startedWithCaller();
    const none = { ...service.faults };

    Object.assign(service.faults, faults);
    const answer = await caller.get(LOG);
    Object.assign(service.faults, none);

    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toContain(type);
    expect((await readPage(caller)).entries).toHaveLength(20);
  });

  it('isValidFalseRate answers 200 with a failed envelope', async () => {
    const { service, caller } = await startedWithCaller();
    service.faults.isValidFalseRate = 1;

    const answer = await caller.get(LOG);

    expect([answer.status, await answer.json()]).toEqual([
      200,
      { data: null, isValid: false, errors: [expect.anything()] },
    ]);
    expect((await logIn(service)).status).toBe(200);
  });

  it('truncateRate truncates the JSON', async () => {
    const { service, caller } = await startedWithCaller();
    service.faults.truncateRate = 1;

    const text = await (await caller.get(LOG)).text();

    expect(text).toMatch(/^\{"data":\[/u);
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  });

  it('status429 counts down, with the requested Retry-After', async () => {
    const { service, caller } = await startedWithCaller();
    service.faults.status429 = { retryAfter: 'Wed, 21 Oct 2026 07:28:00 GMT', count: 2 };

    const answers = [await caller.get(LOG), await caller.get(LOG), await caller.get(LOG)];

    expect(answers.map(({ status }) => status)).toEqual([429, 429, 200]);
    expect(answers[1]?.headers.get('retry-after')).toBe('Wed, 21 Oct 2026 07:28:00 GMT');
  });

  it('refuseLogin refuses the right password', async () => {
    const { service } = await startedWithCaller();
    service.faults.refuseLogin = true;

    const answer = await logIn(service);

    expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_grant' }]);
  });

  it('down destroys the socket without any effect', async () => {
    const { service, caller } = await startedWithCaller();
    service.faults.down = true;

    await expect(caller.post(`/organisations/${service.organisationId}/contacts`, { name: 'Ada' })).rejects.toThrow();
    expect(service.entries()).toHaveLength(20);
    expect(service.requests.recent.at(-1)?.status).toBeNull();
  });

  it('dropAnswerRate destroys the socket after the work', async () => {
    const { service, caller } = await startedWithCaller();
    service.faults.dropAnswerRate = 1;

    await expect(caller.post(`/organisations/${service.organisationId}/contacts`, { name: 'Ada' })).rejects.toThrow();
    expect(service.entries().at(-1)?.actionKey).toBe('ContactCreated');
  });

  it('hang never answers, and does not keep the service from closing', async () => {
    const { service, caller } = await startedWithCaller();
    service.faults.hang = true;

    const answer = caller.get(LOG).then(
      () => 'answered',
      () => 'destroyed',
    );
    await expect.poll(() => service.requests.actionlogs).toBe(1);
    await service.close();

    expect(await answer).toBe('destroyed');
  });

  it('slowMs delays the answer', async () => {
    const { service, caller } = await startedWithCaller();
    service.faults.slowMs = 80;

    const begin = performance.now();
    await caller.get(LOG);

    expect(performance.now() - begin).toBeGreaterThanOrEqual(75);
  });

  it('filter does not affect other paths', async () => {
    const { service, caller } = await startedWithCaller();
    Object.assign(service.faults, { errorRate: 1, filter: '/organisations' });

    expect((await caller.get(LOG)).status).toBe(200);
    expect((await caller.get(`/organisations/${service.organisationId}/payments`)).status).toBe(500);
  });

  it('may be set at the start, or all together', async () => {
    const service = await started({ faults: { refuseLogin: true } });

    expect((await logIn(service)).status).toBe(400);
    service.faults = { ...service.faults, refuseLogin: false };
    expect((await logIn(service)).status).toBe(200);
  });
});
