// The receiver of `npm run webhook-receiver`, sent to by the sender of the deliverer.
import { afterEach, expect, it } from 'vitest';
import { signingKey, toReceiverSecret } from '../../../../../functions/destinations/keys.ts';
import { createSender, type Attempt } from '../../../../../functions/deliverer/send/sender.ts';
import { systemClock } from '../../../../../functions/shared/clock.ts';
import {
  type Misbehaviour,
  type Received,
  type Receiver,
  startReceiver,
} from '../../../../../infra/local/webhook-receiver/receiver.ts';

const KEY = signingKey('master', 'webhook', 1);
const sender = createSender({ rules: { allowedPorts: [], loopback: true }, clock: systemClock });
let receiver: Receiver | null = null;
let received: Received[] = [];
afterEach(async () => await receiver?.close());

async function start(misbehaviour: Misbehaviour | null, secret = toReceiverSecret(KEY)): Promise<void> {
  received = [];
  receiver = await startReceiver({
    port: 0,
    secret,
    misbehaviour: () => misbehaviour,
    onReceived: (one) => void received.push(one),
  });
}

async function send(id: string, waitMs = 5_000): Promise<Attempt> {
  const body = Buffer.from('{"type":"MemberChanged","data":{}}');
  const outgoing = { id, body, keys: [KEY], headers: {} };
  return await sender.attempt({ url: `${receiver?.url}/hook`, headers: [] }, outgoing, Date.now() + waitMs);
}

it('verifies what was signed, and says what came again', async () => {
  await start(null);

  const answers = [await send('e1'), await send('e1'), await send('e2')];

  expect(answers.map(({ status }) => status)).toEqual([204, 204, 204]);
  expect(received.map(({ id, type, time, refused }) => [id, type, time, refused])).toEqual([
    ['e1', 'MemberChanged', 1, null],
    ['e1', 'MemberChanged', 2, null],
    ['e2', 'MemberChanged', 1, null],
  ]);
});

it('answers 401 to what another key signed', async () => {
  await start(null, toReceiverSecret(signingKey('master', 'webhook', 2)));

  expect((await send('e1')).status).toBe(401);
  expect(received[0]?.refused).toMatch(/No matching signature/);
});

it.each([
  ['500', 500],
  ['410', 410],
  ['429', 429],
  ['redirect', 302],
] as const)('answers with %s on request', async (how, status) => {
  await start(how);

  const attempt = await send('e1');

  expect(attempt.status).toBe(status);
  expect(attempt.retryAt === null).toBe(how !== '429');
});

it('is slow on request, until the sender gives up', async () => {
  await start('slow');

  expect(await send('e1', 100)).toMatchObject({ status: null, reason: 'deadline' });
});

it('sends single bytes on request, for which the sender does not wait', async () => {
  await start('drip');

  expect(await send('e1', 200)).toMatchObject({ status: 200 });
});
