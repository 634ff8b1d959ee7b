import { describe, expect, it } from 'vitest';
import { createSessions } from '../../../functions/source/session.ts';
import { createManualClock, createScriptedTransport, createSecret, type Reply } from '../membership/fakes.ts';
import { settingsOf } from '../poller/builders.ts';

const limits = { timeoutMs: 1_000 };

function createWorld(token?: Reply[]) {
  const transport = createScriptedTransport({ token });
  const secret = createSecret();
  const asked: string[] = [];
  const origins: string[] = [];
  const sessionFor = createSessions({
    clock: createManualClock(),
    credentialsFor: (secretId) => {
      asked.push(secretId);
      return secret;
    },
    transportFor: ({ baseUrl }) => {
      origins.push(baseUrl);
      return transport;
    },
  });
  return { transport, secret, asked, origins, sessionFor };
}

describe('the session of a source', () => {
  it('is the same one from run to run, so that a warm run does not log in again', async () => {
    const { sessionFor, transport, asked, origins } = createWorld();

    await sessionFor(settingsOf()).actionLog.readPage({}, limits);
    await sessionFor(settingsOf()).actionLog.readPage({}, limits);

    expect(sessionFor(settingsOf())).toBe(sessionFor(settingsOf()));
    expect(transport.sent).toEqual(['POST /token', 'GET /app/actionlogs', 'GET /app/actionlogs']);
    expect([asked, origins]).toEqual([['secret'], ['https://api.example.org']]);
  });

  it.each([{ sourceId: 'globex' }, { baseUrl: 'https://other.example.org' }, { secretId: 'another' }])(
    'is another one for another source, service or secret: %j',
    (more) => {
      const { sessionFor } = createWorld();

      expect(sessionFor(settingsOf(more))).not.toBe(sessionFor(settingsOf()));
    },
  );

  it('reports each request, logins included, to the latest run that it is bound to', async () => {
    const { sessionFor } = createWorld();
    const session = sessionFor(settingsOf());
    const counted: string[] = [];
    const run = (name: string) => ({
      onRequest: (kind: string) => void counted.push(`${name} ${kind}`),
      refusedVersion: () => null,
    });

    session.attach(run('first'));
    await session.login(limits);
    await session.actionLog.readPage({}, limits);
    session.attach(run('second'));
    await session.actionLog.readPage({}, limits);

    expect(counted).toEqual(['first token', 'first api', 'second api']);
  });

  it('reports a token answer that is not as documented to its run', async () => {
    const { sessionFor } = createWorld([{ json: { access_token: 't1', token_type: 'bearer' } }]);
    const session = sessionFor(settingsOf());
    const deviations: string[] = [];
    session.attach({ onRequest: () => {}, refusedVersion: () => null, onDeviation: (what) => deviations.push(what) });

    await session.login(limits);

    expect(deviations).toEqual(['expires_in is not a whole number']);
  });

  it('works before it is bound to a run', async () => {
    const { sessionFor, transport } = createWorld();

    await sessionFor(settingsOf()).login(limits);

    expect(transport.sent).toEqual(['POST /token']);
  });

  it('knows the version of the secret that it has logged in with', async () => {
    const { sessionFor } = createWorld();
    const session = sessionFor(settingsOf());
    const before = session.secretVersion();

    await session.login(limits);

    expect([before, session.secretVersion()]).toEqual([null, 'v1']);
  });

  it('does not log in with a version that the run knows as refused (S34)', async () => {
    const { sessionFor, transport } = createWorld();
    const session = sessionFor(settingsOf());
    session.attach({ onRequest: () => {}, refusedVersion: () => 'v1' });

    await expect(session.login(limits)).rejects.toMatchObject({ code: 'CredentialsRefused' });

    expect(transport.sent).toEqual([]);
  });
});
