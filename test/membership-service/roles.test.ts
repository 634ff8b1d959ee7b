import { describe, expect, it } from 'vitest';
import type { MembershipService, User } from '../../infra/membership-service/service.ts';
import { callerOf, readPage, started } from './caller.ts';

const userNamed = ({ users }: MembershipService, name: string): User =>
  users.find((user) => user.username.startsWith(name))!;

async function startedAs(name: string, personality: 'ordinary' | 'endless' = 'ordinary') {
  const service = await started({ personality });
  const caller = await callerOf(service, userNamed(service, name));
  const [own, free] = service.organisations.map(({ id }) => id) as [string, string];
  return { service, caller, own, free };
}

describe('a user of two organisations', () => {
  it('can access both and the log of both; the admin only one', async () => {
    const { service, caller, own, free } = await startedAs('federation');
    const admin = await callerOf(service);

    await caller.post(`/organisations/${free}/donations`, { amount: 5 });
    await caller.post(`/organisations/${own}/donations`, { amount: 6 });

    const { data } = (await (await caller.get('/public/account/me')).json()) as {
      data: { organisations: { id: string }[] };
    };
    expect(data.organisations.map(({ id }) => id)).toEqual([own, free]);
    expect((await readPage(caller)).entries).toHaveLength(2);
    expect((await readPage(admin)).entries).toEqual(service.entries().map(({ json }) => json));
    expect(service.entries().map(({ json }) => JSON.parse(json) as unknown)).toMatchObject([
      { actionKey: 'DonationCreated', performedBy: 'Federation' },
    ]);
    expect((await admin.get(`/organisations/${free}/donations`)).status).toBe(403);
  });

  it('finds nothing of one in the other', async () => {
    const { caller, own, free } = await startedAs('federation');
    const [debt] = (await (await caller.get(`/organisations/${own}/debts`)).json()) as { id: string }[];

    expect((await caller.get(`/organisations/${own}/debts/${debt?.id}`)).status).toBe(200);
    expect((await caller.get(`/organisations/${free}/debts/${debt?.id}`)).status).toBe(404);
  });
});

describe('a free organisation', () => {
  it.each([
    ['ordinary', 400, { name: 'Ada' }],
    ['endless', 402, { person: { displayName: 'Ada' } }],
  ] as const)('takes 100 contacts and no more, in %s', async (personality, status, body) => {
    const { caller, own, free } = await startedAs('federation', personality);
    const statuses: number[] = [];

    for (let count = 98; count <= 101; count += 1) {
      statuses.push((await caller.post(`/organisations/${free}/contacts`, body)).status);
    }

    expect(statuses).toEqual([200, 200, 200, status]);
    expect((await caller.post(`/organisations/${own}/contacts`, body)).status).toBe(200);
  });
});

describe('users', () => {
  it('are the given ones, each with its own password', async () => {
    const service = await started({ users: [{ username: 'x@example.org', password: 'y', administers: ['free'] }] });
    const [admin, other] = service.users;
    const caller = await callerOf(service, { username: 'x@example.org', password: 'y' });

    expect(service.users.map(({ username }) => username)).toEqual(['admin@example.org', 'x@example.org']);
    expect(admin?.password).toBe(service.password);
    expect(other?.organisationIds).toEqual([service.organisations[1]?.id]);
    expect((await caller.get(`/organisations/${service.organisationId}/plans`)).status).toBe(403);
  });
});
