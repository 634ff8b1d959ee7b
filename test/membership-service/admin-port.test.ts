// The admin port, over HTTP: faults and personality by name, entries written and read.
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAdminServer } from '../../infra/membership-service/admin/admin-port.ts';
import { createFaults } from '../../infra/membership-service/faults/faults.ts';
import {
  startRestartable,
  type RestartableService,
} from '../../infra/membership-service/command/restartable-service.ts';
import { listenOnLoopback } from '../../infra/shared/loopback.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { callerOf, readPage } from './caller.ts';

type Answer = { status: number; text: string; json: Record<string, unknown> };
type Admin = { service: RestartableService; ask: (route: string, body?: unknown) => Promise<Answer> };

async function startAdmin({ state = null }: { state?: string | null } = {}): Promise<Admin> {
  const options = { port: 0, adminPort: 0, seed: null, perMinute: 0, state, faults: createFaults() };
  const service = await startRestartable({ ...options, personality: 'ordinary' });
  const server = createAdminServer(service);
  const url = await listenOnLoopback(server, 0, '--admin-port');
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await service.close();
  });
  const ask = async (route: string, body?: unknown): Promise<Answer> => {
    const [method, path = ''] = route.split(' ');
    const sent = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    const answer = await fetch(`${url}${path}`, { method, body: sent });
    const text = await answer.text();
    return { status: answer.status, text, json: JSON.parse(text) as Record<string, unknown> };
  };
  return { service, ask };
}

describe('faults', () => {
  test('are exactly those put, from the next request on, and off again with {}', async () => {
    const { service, ask } = await startAdmin();
    const statusOf = async (): Promise<number> => (await fetch(`${service.current().url}/app/actionlogs`)).status;

    await ask('PUT /faults', { slowMs: 1 });
    const put = await ask('PUT /faults', { unavailable: true, filter: '/app' });
    const troubled = await statusOf();
    const got = await ask('GET /faults');
    await ask('PUT /faults', {});

    expect(put.json).toEqual(createFaults({ unavailable: true, filter: '/app' }));
    expect(got).toEqual(put);
    expect([troubled, await statusOf()]).toEqual([503, 401]);
  });

  test('are refused altogether if one is unknown, with the list of known ones', async () => {
    const { ask } = await startAdmin();

    const refused = await ask('PUT /faults', { down: true, nonsense: 1 });

    expect(refused.status).toBe(400);
    expect(refused.json['error']).toMatch(/^There is no fault "nonsense"; known are errorRate, .*, filter\.$/);
    expect((await ask('GET /faults')).json).toEqual(createFaults());
  });
});

describe('the personality', () => {
  test('changes from the next request on, at the same address, with the same people, and without the old tokens', async () => {
    const { service, ask } = await startAdmin();
    const before = service.current();
    const caller = await callerOf(before);
    await ask('PUT /faults', { slowMs: 1 });

    const put = await ask('PUT /personality', { name: 'endless' });

    const after = service.current();
    expect(put.json).toMatchObject({ name: 'endless' });
    expect([after.url, after.organisationId, after.password]).toEqual([
      before.url,
      before.organisationId,
      before.password,
    ]);
    expect(after.faults.slowMs).toBe(1);
    expect((await caller.get('/app/actionlogs')).status).toBe(401);
    expect((await readPage(await callerOf(after))).entries[0]).toMatch(/^\{"logId":\d{16}/);
  });

  test('changes one after the other for two concurrent requests', async () => {
    const { service } = await startAdmin();

    const changes = await Promise.allSettled([service.become('tardy'), service.become('unpaged')]);

    expect(changes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(service.current().personality.name).toBe('unpaged');
  });

  test.each([{ name: 'nice' }, {}, { name: 'tardy', more: 1 }, '[]', 'tardy'])('is not changed by %j', async (body) => {
    const { ask } = await startAdmin();

    const refused = await ask('PUT /personality', body);

    expect(refused.status).toBe(400);
    expect((await ask('GET /personality')).json['name']).toBe('ordinary');
  });

  test('does not change with a state file, whose entries are already named', async () => {
    const folder = await temporaryFolder();
    const { service, ask } = await startAdmin({ state: `${folder}/state` });

    const refused = await ask('PUT /personality', { name: 'endless' });

    expect([refused.status, service.current().personality.name]).toEqual([409, 'ordinary']);
  });
});

describe('entries', () => {
  test('are everything written, letter for letter, and after a serial only the later ones', async () => {
    const { service, ask } = await startAdmin();
    const written = service.current().entries();

    const all = await ask('GET /entries');
    const late = await ask(`GET /entries?after=${written.length - 3}`);

    expect(written.length).toBeGreaterThan(1_000);
    expect((all.json['entries'] as unknown[]).length).toBe(written.length);
    expect(written.every(({ json }) => all.text.includes(`"entry":${json}}`))).toBe(true);
    expect((late.json['entries'] as { serial: number }[]).map(({ serial }) => serial)).toEqual(
      written.slice(-3).map(({ serial }) => serial),
    );
  });

  test('are those of all organisations', async () => {
    const { service, ask } = await startAdmin();
    const { organisations, users } = service.current();
    const federation = users.find(({ username }) => username.startsWith('federation'));
    const caller = await callerOf(service.current(), federation);
    const { length } = (await ask('GET /entries')).json['entries'] as unknown[];

    await caller.post(`/organisations/${organisations[1]?.id}/donations`, { amount: 5 });

    const late = await ask(`GET /entries?after=${length}`);
    expect(late.json['entries']).toMatchObject([
      { entry: { actionKey: 'DonationCreated', organisationId: organisations[1]?.id } },
    ]);
  });

  test('are written by hand, and a page shows them at their time', async () => {
    const { service, ask } = await startAdmin();
    const { length } = service.current().entries();

    const shown = await ask('POST /entries', {
      actionKey: 'ContactUpdated',
      memberName: 'Zoë',
      details: { field: 'email', count: 2, old: null },
      at: '2030-01-01T10:00:00Z',
      stampedAheadMs: 1000,
      visibleAfterMs: -1_000_000_000_000,
    });

    expect(shown.json).toMatchObject({
      serial: length + 1,
      createdAt: '2030-01-01T10:00:00.000Z',
      entry: {
        actionKey: 'ContactUpdated',
        memberName: 'Zoë',
        createdOn: '2030-01-01T11:00:01.000+01:00',
        details: { count: 2 },
      },
    });
    const { entries } = await readPage(await callerOf(service.current()), { startDate: '2029-01-01T00:00:00Z' });
    expect(entries.map((json) => JSON.parse(json) as unknown)).toEqual([shown.json['entry']]);
  });

  test.each([
    [{}, 'actionKey is required.'],
    [{ actionKey: 5 }, 'actionKey must be a text.'],
    [{ actionKey: 'A', kind: 1 }, 'kind: unknown; known are actionKey, '],
    [{ actionKey: 'A', at: 'soon' }, 'at must be an ISO 8601 instant'],
    [{ actionKey: 'A', details: { a: [] } }, 'details must be an object of texts'],
    [{ actionKey: 'A', at: 8.64e15 }, 'at must be an ISO 8601 instant'],
    [{ actionKey: 'A', at: '-000001-01-01T00:00:00Z' }, 'at must be an ISO 8601 instant'],
    [{ actionKey: 'A', visibleAfterMs: '5' }, 'visibleAfterMs must be a number of milliseconds'],
    [{ actionKey: 'A', visibleAfterMs: 1e300 }, 'visibleAfterMs must be a number of milliseconds'],
    [{ actionKey: 'A', stampedAheadMs: -1e13 }, 'stampedAheadMs must be a number of milliseconds'],
    ['{', 'The body must be a JSON object.'],
  ])('are not written from %j', async (body, problem) => {
    const { service, ask } = await startAdmin();
    const { length } = service.current().entries();

    const refused = await ask('POST /entries', body);

    expect([refused.status, service.current().entries().length]).toEqual([400, length]);
    expect(refused.json['error']).toContain(problem);
  });

  test('are filtered only by a serial', async () => {
    expect((await (await startAdmin()).ask('GET /entries?after=yesterday')).status).toBe(400);
  });
});

test('anything else is refused with the list of operations', async () => {
  const { ask } = await startAdmin();

  const refused = await ask('DELETE /entries');

  expect(refused.status).toBe(404);
  expect(refused.json['error']).toMatch(/^There is no DELETE \/entries; there is GET \/faults, PUT \/faults, /);
});
