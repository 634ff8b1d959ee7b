import { expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { signingKey, toReceiverSecret } from '../../../../../functions/destinations/keys.ts';
import { destinationApi } from '../../../../../infra/local/console/api/destinations.ts';

const EVENT = '{"detail-type":"MemberChanged","time":"t","detail":{"metadata":{"id":"e1"},"data":{"amount":1.50}}}';
const SECRET = toReceiverSecret(signingKey('master', 'webhook', 1));
const ATTEMPT = { destinationId: { S: 'webhook' }, eventId: { S: 'e1' }, status: { N: '500' }, answer: { NULL: true } };

const ITEMS: Readonly<Record<string, object[]>> = {
  states: [{ sk: { S: 'webhook' }, dead: { N: '2' }, halt: { M: { kind: { S: 'paused' }, at: { N: '7' } } } }],
  'due#webhook#3': [{ eventId: { S: 'e1' } }],
  'log#webhook': [ATTEMPT],
};
const cloud = {
  call: async (_service: string, _operation: string, { ExpressionAttributeValues }: never) =>
    await Promise.resolve({ Items: ITEMS[ExpressionAttributeValues[':pk']['S']] ?? [] }),
  definitions: { functions: [{ environment: { DESTINATIONS_TABLE_NAME: 'table' } }] },
  services: { eventbridge: { resources: { events: () => [{ text: '{"other":"e1"}' }, { text: EVENT }] } } },
} as never;
const webhook = { name: 'webhook', url: 'http://127.0.0.1:3000/hook', secret: SECRET };
const forward = { name: 'auditors', url: 'http://127.0.0.1:8088' };
const api = destinationApi({ cloud, webhook, forward });

test('has the state of a destination, what waits, and its newest attempts', async () => {
  const answer = await api.request('/');

  expect(await answer.json()).toEqual([
    {
      name: 'webhook',
      url: 'http://127.0.0.1:3000/hook',
      isSigned: true,
      halt: { kind: 'paused', at: 7 },
      failingSince: null,
      notBefore: null,
      dead: 2,
      due: 1,
      deliveries: [{ destinationId: 'webhook', eventId: 'e1', status: 500, answer: null }],
    },
    expect.objectContaining({ ...forward, isSigned: false, due: 0, deliveries: [] }),
  ]);
});

test('explains a signature that the official library verifies', async () => {
  const at = Date.now();

  const answer = await api.request(`/signed/e1/${at}`);

  const { id, seconds, body, signature } = (await answer.json()) as Record<string, string>;
  const headers = { 'webhook-id': `${id}`, 'webhook-timestamp': `${seconds}`, 'webhook-signature': `${signature}` };
  expect(new Webhook(SECRET).verify(`${body}`, headers)).toMatchObject({ type: 'MemberChanged' });
  expect(body).toContain('"amount":1.50');
});

test('has nothing to show in a run without a destination', async () => {
  const none = destinationApi({ cloud, webhook: null, forward: null });

  expect(await (await none.request('/')).json()).toEqual([]);
});
