import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleepFor } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callerOf, logIn, newStateFile, readPage, started } from './caller.ts';

describe('the state file', () => {
  it('restores entries, contacts, tags, payments and revealed entries', async () => {
    const stateFile = await newStateFile();
    const first = await started({ stateFile, seed: 5, personality: 'tardy', history: { entries: 100, days: 1 } });
    const caller = await callerOf(first);
    const organisation = `/organisations/${first.organisationId}`;
    const made = (await (await caller.post(`${organisation}/contacts`, { name: 'Þóra' })).json()) as {
      data: { id: string };
    };
    await caller.post(`${organisation}/payments`, { contactId: made.data.id, amount: 5 });
    const tag = (await (await caller.post(`/admin${organisation}/tags`, { name: 'New' })).json()) as { id: string };
    await caller.post(`/admin${organisation}/tags/${tag.id}/AddMembers`, { memberIds: [made.data.id] });
    first.write({ actionKey: 'Late', visibleAfterMs: 3_600_000 });
    first.revealAll();
    first.write({ actionKey: 'Later', visibleAfterMs: 3_600_000 });
    const paths = [`${organisation}/contacts`, `${organisation}/payments`, `/admin${organisation}/tags`];
    const before = await Promise.all(
      paths.map(async (path) => await (await caller.get(path, { pageSize: '100' })).text()),
    );
    const { password } = first;
    await first.close();

    const second = await started({ stateFile, personality: 'tardy', history: { entries: 100, days: 1 } });

    const callerNow = await callerOf(second);
    const after = await Promise.all(
      paths.map(async (path) => await (await callerNow.get(path, { pageSize: '100' })).text()),
    );
    expect(second.entries()).toEqual(first.entries());
    expect(second.organisationId).toBe(first.organisationId);
    expect(second.password).toBe(password);
    expect(after).toEqual(before);
    expect((await readPage(callerNow, { actionKeys: 'Late,Later' })).entries).toHaveLength(1);
  });

  it('restores replacements and removals in both organisations', async () => {
    const stateFile = await newStateFile();
    const first = await started({ stateFile });
    const federation = first.users.find(({ organisationIds }) => organisationIds.length === 2)!;
    const caller = await callerOf(first, federation);
    for (const id of federation.organisationIds) {
      const path = `/organisations/${id}/debts`;
      const [one, other] = (await (await caller.get(path)).json()) as { id: string; contactId: string }[];
      await caller.send('PUT', `${path}/${one?.id}`, { contactId: one?.contactId, amount: 7, isPaid: true });
      await caller.send('DELETE', `${path}/${other?.id}`);
      await caller.post(`/organisations/${id}/donations`, { amount: 5 });
    }
    const read = async (from: typeof caller): Promise<string[]> =>
      await Promise.all(
        federation.organisationIds.flatMap((id) =>
          ['debts', 'donations'].map(async (name) => await (await from.get(`/organisations/${id}/${name}`)).text()),
        ),
      );
    const before = await read(caller);
    const { entries } = await readPage(caller);
    await first.close();

    const second = await started({ stateFile });

    const callerNow = await callerOf(second, federation);
    expect(await read(callerNow)).toEqual(before);
    expect((await readPage(callerNow)).entries).toEqual(entries);
    expect(entries).toHaveLength(6);
    expect(second.entries()).toHaveLength(3);
  });

  it('has new ids after a restart', async () => {
    const stateFile = await newStateFile();
    const ids: string[] = [];

    for (let start = 0; start < 3; start += 1) {
      const service = await started({ stateFile });
      const caller = await callerOf(service);
      const answer = await caller.post(`/organisations/${service.organisationId}/contacts`, { name: 'Ada' });
      ids.push(((await answer.json()) as { data: { id: string } }).data.id);
      service.write({ actionKey: 'ContactUpdated' });
      await service.close();
    }

    const lines = (await started({ stateFile })).entries();
    expect(new Set(ids).size).toBe(3);
    expect(lines.map(({ serial }) => serial)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(new Set(lines.map(({ json }) => json)).size).toBe(6);
  });

  it('is read without an incomplete last line, and continues after the one before', async () => {
    const stateFile = await newStateFile();
    const first = await started({ stateFile });
    first.write({ actionKey: 'Kept' });
    await first.close();
    const whole = readFileSync(stateFile, 'utf8');
    appendFileSync(stateFile, whole.split('\n')[1]?.slice(0, -7) ?? '');

    const second = await started({ stateFile });
    second.write({ actionKey: 'Next' });
    await second.close();

    const third = await started({ stateFile });
    expect(third.entries().map(({ actionKey }) => actionKey)).toEqual(['Kept', 'Next']);
    expect(readFileSync(stateFile, 'utf8').startsWith(whole)).toBe(true);
  });

  it('is refused with another seed, because its people would differ', async () => {
    const stateFile = await newStateFile();
    await (await started({ stateFile, seed: 5 })).close();

    await expect(started({ stateFile, seed: 6 })).rejects.toThrow('seed 5');
  });

  it('has every entry that a killed process has shown', async () => {
    const stateFile = await newStateFile();
    const script = `
      import { startMembershipService } from ${JSON.stringify(new URL('../../infra/membership-service/service.ts', import.meta.url).href)};
      const service = await startMembershipService({ stateFile: ${JSON.stringify(stateFile)} });
      console.log(service.url);
      service.startActivity({ perMinute: 60_000 });
      setInterval(() => {}, 1000);
    `;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    onTestFinished(() => void child.kill('SIGKILL'));
    const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
    const { username, password } = await started();
    const { access_token: token } = (await (await logIn({ url, username, password })).json()) as {
      access_token: string;
    };
    const shown = new Set<string>();

    for (let polls = 0; polls < 50; polls += 1) {
      const answer = await fetch(`${url}/app/actionlogs?pageSize=500`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const { data } = (await answer.json()) as { data: unknown[] };
      for (const entry of data) shown.add(JSON.stringify(entry));
      await sleepFor(5);
    }
    child.kill('SIGKILL');
    await exited;

    const kept = new Set((await started({ stateFile })).entries().map(({ json }) => json));
    expect(shown.size).toBeGreaterThan(20);
    expect([...shown].filter((entry) => !kept.has(entry))).toEqual([]);
  });

  it('is not locked by a service that could not listen', async () => {
    const stateFile = await newStateFile();
    const port = Number(new URL((await started()).url).port);

    await expect(started({ stateFile, port })).rejects.toThrow('EADDRINUSE');
    expect((await started({ stateFile })).entries()).toEqual([]);
  });
});

describe('activity', () => {
  it('continues until it is stopped', async () => {
    const service = await started();

    service.startActivity({ perMinute: 60_000 });
    await expect.poll(() => service.entries().length, { interval: 5 }).toBeGreaterThan(10);
    service.stopActivity();

    const { length } = service.entries();
    await sleepFor(30);
    expect(service.entries()).toHaveLength(length);
  });
});
