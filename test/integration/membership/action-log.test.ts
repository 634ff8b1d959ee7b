import { afterEach, describe, expect, test } from 'vitest';
import { createActionLog } from '../../../functions/membership/action-log.ts';
import { createTokenSource, type Credentials } from '../../../functions/membership/token.ts';
import { createTransport, type Transport, type TransportLimits } from '../../../functions/membership/transport.ts';
import { systemClock } from '../../../functions/shared/clock.ts';
import { toJson } from '../../../functions/shared/json.ts';
import { refusalOf } from '../../support/refusal.ts';
import { drip, sendJson, sendPage, startService, stopServices, type Answerer } from './misbehaving-service.ts';

const LIMIT = { timeoutMs: 5_000 };
const transports: Transport[] = [];

afterEach(async () => {
  await Promise.all(transports.splice(0).map((transport) => transport.close()));
  await stopServices();
});

type Script = {
  /** Answers GET /app/actionlogs with a valid token. */
  page?: Answerer;
  token?: Answerer;
  limits?: Partial<TransportLimits>;
};

/** A service that issues t1, t2, … and accepts only the latest token. */
async function createWorld({ page = (response) => sendPage(response), token, limits }: Script) {
  const world = { issued: 0, good: true, logins: [] as string[], pages: [] as string[] };
  const service = await startService((response, received) => {
    if (received.url === '/token') {
      world.logins.push(received.body);
      world.issued += 1;
      world.good = true;
      if (token) token(response, received, world.logins.length - 1);
      else sendJson(response, { access_token: `t${world.issued}`, token_type: 'bearer', expires_in: 3600 });
      return;
    }
    world.pages.push(received.url);
    const isGood = world.good && received.headers.authorization === `Bearer t${world.issued}`;
    if (isGood) page(response, received, world.pages.length - 1);
    else sendJson(response, { message: 'Authorization has been denied' }, 401);
  });
  const secret = {
    versionId: 'v1',
    credentials: { username: 'admin@example.org', password: 'hush' } as Credentials | null,
  };
  const transport = createTransport({ baseUrl: service.baseUrl, ...(limits ? { limits } : {}) });
  transports.push(transport);
  const tokens = createTokenSource({
    transport,
    clock: systemClock,
    credentials: { read: async () => ({ ...secret }) },
  });
  const actionLog = createActionLog({ transport, tokens, clock: systemClock, retry: { baseMs: 5 } });
  return Object.assign(world, { service, secret, tokens, actionLog });
}

test('pages are read to the end by their continuations, with unchanged numbers and characters (S13, S14, S18)', async () => {
  const continuation = '{"t":"+/=#&%","n":"Žofie"}';
  const world = await createWorld({
    page: (response, { url }) => {
      const sent = new URL(url, 'http://host').searchParams.get('requestContinuation');
      response.setHeader('content-type', 'application/json');
      if (sent === null)
        response.end(
          `{"data":[{"id":90071992547409931}],"isValid":true,"requestContinuation":${JSON.stringify(continuation)}}`,
        );
      else sendPage(response, [{ sent }], { requestContinuation: null });
    },
  });

  const first = await world.actionLog.readPage({ pageSize: 1 }, LIMIT);
  const second = await world.actionLog.readPage({ pageSize: 1, requestContinuation: continuation }, LIMIT);

  expect(toJson(first.entries)).toBe('[{"id":90071992547409931}]');
  expect(first.body['requestContinuation']).toBe(continuation);
  expect(second.entries).toEqual([{ sent: continuation }]);
  expect(second.serverTime).toBeGreaterThan(Date.now() - 60_000);
  expect(world.logins).toHaveLength(1);
  expect(world.pages[0]).toBe('/app/actionlogs?pageSize=1');
});

test('a token that is refused while paging is replaced once, and the same request is sent again (S32)', async () => {
  const world = await createWorld({});
  await world.actionLog.readPage({ pageSize: 7 }, LIMIT);
  world.good = false;

  await world.actionLog.readPage({ pageSize: 7, requestContinuation: 'c' }, LIMIT);

  expect(world.logins).toHaveLength(2);
  expect(world.pages.slice(1)).toEqual(Array(2).fill('/app/actionlogs?pageSize=7&requestContinuation=c'));
});

test('a service that refuses every token gets two logins (S32)', async () => {
  const world = await createWorld({
    token: (response) => sendJson(response, { access_token: 'stale', expires_in: 3600 }),
  });

  const refusal = await refusalOf(world.actionLog.readPage({}, LIMIT));

  expect(refusal).toMatchObject({ code: 'Unauthorized' });
  expect(world.logins).toHaveLength(2);
  expect(world.pages).toHaveLength(2);
});

test('concurrent pages share one login, and one new login after a 401 (S36)', async () => {
  const world = await createWorld({});
  const readFive = () => Promise.all([1, 2, 3, 4, 5].map((pageSize) => world.actionLog.readPage({ pageSize }, LIMIT)));

  await readFive();
  const loginsAtFirst = world.logins.length;
  world.good = false;
  await readFive();

  expect(loginsAtFirst).toBe(1);
  expect(world.logins).toHaveLength(2);
});

test('refused credentials get one login, and a new version of the secret gets another (S34, S35)', async () => {
  const world = await createWorld({
    token: (response, { body }) => {
      if (body.includes('hush')) sendJson(response, { error: 'invalid_grant' }, 400);
      else sendJson(response, { access_token: `t${world.issued}`, expires_in: 3600 });
    },
  });

  const refusals = [
    await refusalOf(world.actionLog.readPage({}, LIMIT)),
    await refusalOf(world.actionLog.readPage({}, LIMIT)),
  ];
  const loginsRefused = world.logins.length;
  Object.assign(world.secret, { versionId: 'v2', credentials: { username: 'admin@example.org', password: 'right' } });
  await world.actionLog.readPage({}, LIMIT);

  expect(refusals.map((refusal) => 'code' in refusal && refusal.code)).toEqual([
    'CredentialsRefused',
    'CredentialsRefused',
  ]);
  expect(loginsRefused).toBe(1);
  expect(world.logins).toHaveLength(2);
});

test('a secret rotated in a warm process is read again after a 401 (S35)', async () => {
  const world = await createWorld({});
  await world.actionLog.readPage({}, LIMIT);
  Object.assign(world.secret, { versionId: 'v2', credentials: { username: 'admin@example.org', password: 'right' } });
  world.good = false;

  await world.actionLog.readPage({}, LIMIT);

  expect(world.logins[1]).toContain('password=right');
  expect(world.tokens.secretVersion()).toBe('v2');
});

test.each([0, '0', -1])('expires_in %j causes one login per page (S33)', async (expiresIn) => {
  const world = await createWorld({
    token: (response) => sendJson(response, { access_token: `t${world.issued}`, expires_in: expiresIn }),
  });

  await world.actionLog.readPage({}, LIMIT);
  await world.actionLog.readPage({}, LIMIT);

  expect(world.logins).toHaveLength(2);
});

test('a redirect of a page or of the login never sends the token or the password elsewhere (S39)', async () => {
  const elsewhere = await startService((response) => sendPage(response));
  const redirect: Answerer = (response) => {
    response.writeHead(307, { location: `${elsewhere.baseUrl}/token` }).end();
  };
  const ofPage = await createWorld({ page: redirect });
  const ofLogin = await createWorld({ token: redirect });

  const refusals = [
    await refusalOf(ofPage.actionLog.readPage({}, LIMIT)),
    await refusalOf(ofLogin.actionLog.readPage({}, LIMIT)),
  ];

  expect(refusals).toEqual([
    expect.objectContaining({ code: 'RedirectRefused' }),
    expect.objectContaining({ code: 'RedirectRefused' }),
  ]);
  expect(elsewhere.sockets).toHaveLength(0);
});

describe('no failure of the service is read as the end of the data (S17, S37)', () => {
  test.each([
    {
      is: 'HTML with 200',
      answer: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sorry'),
    },
    {
      is: 'HTML that claims to be JSON',
      answer: (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('<p>Sorry'),
    },
    { is: 'an empty 200', answer: (response) => response.writeHead(200).end() },
    { is: 'a 204', answer: (response) => response.writeHead(204).end() },
    { is: 'isValid false', answer: (response) => sendJson(response, { data: [], isValid: false, errors: ['no'] }) },
    { is: 'data null', answer: (response) => sendJson(response, { data: null, isValid: true }) },
    { is: 'data of another type', answer: (response) => sendJson(response, { data: {}, isValid: true }) },
    { is: 'a bare list', answer: (response) => sendJson(response, []) },
    { is: 'truncated JSON', answer: (response) => response.writeHead(200).end('{"data":[],"isValid":tr') },
    {
      is: 'another content type',
      answer: (response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('{"data":[],"isValid":true}'),
    },
    {
      is: 'gzip rubbish',
      answer: (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('\x1f\x8bhush'),
    },
  ] as { is: string; answer: Answerer }[])('$is', async ({ answer }) => {
    const world = await createWorld({ page: answer });

    const refusal = await refusalOf(world.actionLog.readPage({}, LIMIT));

    expect(refusal).toMatchObject({ code: 'ResponseInvalid' });
    expect(world.pages).toHaveLength(1);
  });
});

test('a service that recovers within the call causes no failure', async () => {
  const world = await createWorld({
    page: (response, _received, index) => {
      if (index === 0) response.socket?.destroy();
      else if (index === 1) sendJson(response, {}, 503);
      else sendPage(response, [{ id: 1 }]);
    },
  });

  const page = await world.actionLog.readPage({}, LIMIT);

  expect(page.entries).toEqual([{ id: 1 }]);
  expect(world.pages).toHaveLength(3);
});

test.each([
  { is: 'hangs', answer: () => {} },
  {
    is: 'drips',
    answer: (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      drip(response);
    },
  },
] as { is: string; answer: Answerer }[])(
  'a service that $is holds no call longer than its limit, retries included (S38)',
  async ({ answer }) => {
    const world = await createWorld({ page: answer, limits: { bodyMs: 200 } });
    const startedAt = performance.now();

    const refusal = await refusalOf(world.actionLog.readPage({}, { timeoutMs: 500 }));

    expect(refusal).toMatchObject({ code: 'ServiceTimeout' });
    expect(performance.now() - startedAt).toBeLessThan(900);
  },
);

test('a 429 is not retried within the call, and the error has its wait (S29)', async () => {
  const world = await createWorld({
    page: (response) => {
      response.setHeader('retry-after', '3600');
      sendJson(response, {}, 429);
    },
  });

  const refusal = await refusalOf(world.actionLog.readPage({}, LIMIT));

  expect(refusal).toMatchObject({ code: 'RateLimited' });
  expect((refusal as unknown as { details: { retryAt: number } }).details.retryAt).toBeGreaterThan(
    Date.now() + 3_500_000,
  );
  expect(world.pages).toHaveLength(1);
});
