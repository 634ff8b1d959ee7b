import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callerOf, newStateFile, started } from './caller.ts';

async function newFileWith(text: string): Promise<string> {
  const stateFile = await newStateFile();
  mkdirSync(dirname(stateFile), { recursive: true });
  writeFileSync(stateFile, text);
  return stateFile;
}

describe('a state file', () => {
  it('of version 1 is read and continued', async () => {
    const stateFile = await newStateFile();
    await (await started({ stateFile })).close();
    const contact = {
      id: '00000000-0000-4000-8000-000000000001',
      organisationMembershipId: '00000000-0000-4000-8000-000000000002',
      name: 'Of old',
      email: null,
      phone: null,
      planId: null,
      createdOn: '2026-01-01T12:00:00Z',
    };
    const tag = { id: '00000000-0000-4000-8000-000000000003', name: 'Old', memberIds: [contact.id] };
    const payment = { id: '00000000-0000-4000-8000-000000000004', contactId: contact.id, amount: 3, currency: 'EUR' };
    const old = [
      [{ kind: 'service', version: 1, seed: 5 }],
      [{ kind: 'contact', contact }],
      [{ kind: 'tag', tag }],
      [{ kind: 'payment', payment: { ...payment, description: null, paidOn: '2026-01-01T12:00:00Z' } }],
    ];
    writeFileSync(stateFile, old.map((line) => `${JSON.stringify(line)}\n`).join(''));

    const service = await started({ stateFile });

    const caller = await callerOf(service);
    const organisation = `/organisations/${service.organisationId}`;
    const q = Buffer.from('{"name":"of old"}').toString('base64');
    expect(await (await caller.get(`${organisation}/contacts`, { q })).json()).toMatchObject({ data: [contact] });
    expect(await (await caller.get(`/admin${organisation}/tags/${tag.id}`)).json()).toMatchObject({ memberCount: 1 });
    expect((await caller.send('DELETE', `${organisation}/payments/${payment.id}`)).status).toBe(200);
    await service.close();
    expect(
      (await (await callerOf(await started({ stateFile }))).get(`${organisation}/payments/${payment.id}`)).status,
    ).toBe(404);
  });

  it.each([
    ['version 3', [{ kind: 'service', version: 3, seed: 1 }]],
    ['not a state file of this service', [{ kind: 'revealed', at: 0 }]],
  ])('is refused if it is of %s', async (what, line) => {
    const stateFile = await newStateFile();
    await (await started({ stateFile })).close();
    writeFileSync(stateFile, `${JSON.stringify(line)}\n`);

    await expect(started({ stateFile })).rejects.toThrow(what);
  });

  it.each([
    '{"name":"somebody’s settings"}',
    'a note of one line',
    '{"a":1}\n',
    'one\ntwo\n',
    'null\n',
    '[null]\n',
    '[[]]\n',
  ])('is refused and stays as it was if it is another kind of file: %j', async (text) => {
    const stateFile = await newFileWith(text);

    await expect(started({ stateFile })).rejects.toThrow(
      `${stateFile} is not a state file of this service. Choose another one.`,
    );
    expect(readFileSync(stateFile, 'utf8')).toBe(text);
  });

  it('starts again if a kill left even its first line incomplete', async () => {
    const stateFile = await newFileWith('[{"kind":"serv');

    const service = await started({ stateFile, seed: 7 });
    service.write({ actionKey: 'Kept' });
    await service.close();

    expect((await started({ stateFile })).entries().map(({ actionKey }) => actionKey)).toEqual(['Kept']);
  });

  it.each(['5', 'null', '{}', '[null]', '["x"]', 'torn\n[]'])(
    'is refused with the line number if a line is %j',
    async (line) => {
      const stateFile = await newStateFile();
      await (await started({ stateFile })).close();
      appendFileSync(stateFile, `${line}\n`);

      await expect(started({ stateFile })).rejects.toThrow(`Line 2 of ${stateFile} cannot be read.`);
    },
  );

  it.each([
    ['what is not known', { kind: 'weather' }],
    ['another organisation', { kind: 'record', organisationId: 'x', collection: 'debts', id: 'y', value: null }],
  ])('is refused if it holds %s', async (_what, record) => {
    const stateFile = await newStateFile();
    await (await started({ stateFile })).close();
    appendFileSync(stateFile, `${JSON.stringify([record])}\n`);

    await expect(started({ stateFile })).rejects.toThrow('Choose another file');
  });
});
