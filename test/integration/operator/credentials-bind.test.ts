// What a secret says of its use, as `membership-bridge credentials` writes, keeps and obeys it.
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { sha256Hex } from '../../../functions/shared/json.ts';
import { arnIn } from '../../../infra/local/secrets-manager/secrets-manager.ts';
import { PLACEHOLDER_USERNAME } from '../../../functions/shared/placeholder-credentials.ts';
import type { Intercept } from '../../../infra/local/cloud/endpoint.ts';
import type { LocalCloud } from '../../../infra/local/cloud/cloud.ts';
import { type MembershipService, startMembershipService } from '../../../infra/membership-service/service.ts';
import { afterAllTests } from '../../support/at-end.ts';
import { emptyStateTable, startOperatedBridge, synthesizeFirst } from '../../support/operated-bridge.ts';
import { operatorOf } from '../../support/operator-commands.ts';

synthesizeFirst();
afterEach(() => void vi.unstubAllEnvs());

const SECRET = /^arn:aws:secretsmanager:.*:secret:CredentialsacmeSecret\w+-\w{12}-\w{6}$/;

const atEnd = afterAllTests();
/** What AWS refuses. */
const refuse = { what: '' };
let service: MembershipService;
let cloud: LocalCloud;
let secretId: string;
beforeAll(async () => {
  service = await startMembershipService({ history: { entries: 5, days: 1 } });
  atEnd(async () => await service.close());
  const acme = { baseUrl: service.url, timeZone: service.personality.stamps.timeZone };
  const intercept: Intercept = async ({ service: name, operation }, proceed) =>
    `${name}:${operation}` === refuse.what
      ? { status: 400, body: JSON.stringify({ __type: 'AccessDeniedException', message: 'no' }) }
      : await proceed();
  cloud = await startOperatedBridge({ settings: { acme, other: acme }, intercept }, atEnd);
  const named = cloud.sources.find(({ sourceId }) => sourceId === 'acme')?.settings['secretId'];
  secretId = arnIn(cloud.definitions.secrets, String(named));
}, 240_000);

/** A bridge before its first run, whose secret of `acme` has these members beside username and password. */
async function startBridge(members: object = {}) {
  refuse.what = '';
  await emptyStateTable(cloud);
  const { username, password } = service;
  const write = async (fields: object): Promise<void> =>
    void (await cloud.call('secretsmanager', 'PutSecretValue', {
      SecretId: secretId,
      SecretString: JSON.stringify(fields),
    }));
  await write({ username, password, ...members });
  const operate = operatorOf(cloud, { askCredentials: async () => ({ username, password }) });
  const credentials = async (...args: string[]) => await operate('credentials', ...args);
  return { write, operate, credentials, read: async () => await secretOf(cloud, secretId) };
}

async function secretOf({ call }: LocalCloud, secretId: unknown): Promise<Record<string, unknown>> {
  const { SecretString, VersionId } = await call('secretsmanager', 'GetSecretValue', { SecretId: secretId });
  return { ...(JSON.parse(String(SecretString)) as object), versionId: VersionId };
}

describe('credentials bind', () => {
  test('says which service and source the secret is for, and leaves username, password and what else is in it', async () => {
    const { credentials, read, operate } = await startBridge({ note: 'of Ada' });
    const before = await read();

    const planned = await credentials('bind', 'acme', '--dry-run');
    const unchanged = await read();
    const { code, out } = await credentials('bind', 'acme', '--yes');
    const { versionId, ...after } = await read();
    const again = await credentials('bind', 'acme', '--yes');
    const history = await operate('history', 'acme', '--json');

    expect(secretId).toMatch(SECRET);
    expect(planned.out).toContain(
      `is from now on for the source acme at ${service.url}. Its password is sent to no other service.`,
    );
    expect(planned.out).toContain('Until now it names neither, and is used only for the settings that were deployed.');
    expect(unchanged).toEqual(before);
    expect([code, out]).toEqual([0, expect.stringContaining(`The secret is for the source acme at ${service.url}.`)]);
    const { username, password } = service;
    const sameAs = { versionId: before['versionId'], sha256: expect.stringMatching(/^[0-9a-f]{64}$/) };
    expect(after).toEqual({ username, password, note: 'of Ada', baseUrl: service.url, sources: ['acme'], sameAs });
    expect(versionId).not.toBe(before['versionId']);
    expect([again.code, again.err]).toEqual([0, `The secret is already for the source acme at ${service.url}.\n`]);
    expect(JSON.parse(history.out)).toMatchObject([{ command: 'credentials bind acme', outcome: 'done' }]);
    expect(planned.out + out + history.out).not.toContain(service.password);
  });

  test('keeps other sources of the same service, and none of another one', async () => {
    const { credentials, read, write } = await startBridge({ sources: ['club-*', 'globex'] });

    await credentials('bind', 'acme', '--yes');
    const same = await read();
    await write({ ...same, baseUrl: 'https://before.example', sources: ['acme', 'globex'] });
    const { out } = await credentials('bind', 'acme', '--yes');

    expect(same).toMatchObject({ baseUrl: service.url, sources: ['club-*', 'globex', 'acme'] });
    expect(out).toContain('Until now it is for the sources acme, globex at https://before.example.');
    expect(await read()).toMatchObject({ baseUrl: service.url, sources: ['acme'] });
  });

  test.each(['set', 'bind'])(
    'or %s names both hosts and asks, where the host is another than before',
    async (command) => {
      const { credentials, read, write } = await startBridge({ baseUrl: 'https://before.example' });
      const [before, sent] = [await read(), service.requests.token];
      const plans: string[] = [];
      const declining = operatorOf(cloud, { confirm: async () => await Promise.resolve(false) });

      plans.push((await declining('credentials', command, 'acme')).out);
      const { code } = await credentials(command, 'acme');
      const untouched = [await read(), service.requests.token];
      await write({ ...before, baseUrl: `${service.url}/elsewhere` });
      plans.push((await credentials(command, 'acme', '--dry-run')).out);

      const { host } = new URL(service.url);
      expect(plans[0]).toContain(
        `until now the password was for the host before.example, and will be sent to ${host}.`,
      );
      expect([code, untouched]).toEqual([2, [before, sent]]);
      expect(plans[1]).not.toContain('Warning');
    },
  );

  test('leaves a placeholder', async () => {
    const { credentials, read, write } = await startBridge();
    await write({ username: PLACEHOLDER_USERNAME, password: 'generated' });

    const { code, err } = await credentials('bind', 'acme', '--yes');

    expect([code, err]).toEqual([2, expect.stringContaining('still holds its placeholder')]);
    expect(await read()).toMatchObject({ username: PLACEHOLDER_USERNAME, password: 'generated' });
  });

  test('of credentials that were refused makes a version whose logins count on, until others are written', async () => {
    const { credentials, read, write } = await startBridge();
    const wrong = { username: service.username, password: 'wrong' };
    await write({ ...wrong, baseUrl: service.url, sources: ['acme'] });
    // A process that has run before still has a token.
    Object.assign(service.faults, { filter: '/app', nextStatus: [401] });
    await cloud.invoke('acme');
    const { versionId } = await read();
    const sameAs = { versionId, sha256: sha256Hex(JSON.stringify([wrong.username, wrong.password])) };
    await write({ ...wrong, baseUrl: 'https://before.example', sources: ['acme'], sameAs });

    const { code } = await credentials('bind', 'acme', '--yes');
    const bound = await read();
    const sent = service.requests.token;
    const polled = await cloud.invoke('acme');
    const none = service.requests.token - sent;
    await write({ ...bound, password: service.password });

    expect(code).toBe(0);
    expect(bound).toMatchObject({ ...wrong, baseUrl: service.url, sameAs });
    expect(bound['versionId']).not.toBe(versionId);
    expect(polled.result).toMatchObject({ outcome: 'paused', reason: 'credentials-refused' });
    expect(none).toBe(0);
    expect((await cloud.invoke('acme')).result).toMatchObject({ outcome: 'idle' });
  });

  test('changes nothing where somebody has just written another version, or where it may not read the secret', async () => {
    const { write, read, credentials } = await startBridge();
    const confirm = async (): Promise<boolean> => {
      await write({ username: service.username, password: 'newer' });
      return true;
    };

    const overtaken = await operatorOf(cloud, { confirm })('credentials', 'bind', 'acme');
    refuse.what = 'secretsmanager:GetSecretValue';
    const denied = await credentials('bind', 'acme', '--yes');
    refuse.what = '';

    expect([overtaken.code, overtaken.err]).toEqual([2, expect.stringContaining('another version of the secret')]);
    expect([denied.code, denied.err]).toEqual([2, expect.stringContaining('secretsmanager:GetSecretValue')]);
    expect(await read()).toMatchObject({ password: 'newer' });
    expect(await read()).not.toHaveProperty('baseUrl');
  });
});

describe('credentials set', () => {
  test('binds what it stores, and keeps the sources that share the secret', async () => {
    const { credentials, read } = await startBridge({ sources: ['globex'] });

    const { out } = await credentials('set', 'acme', '--yes');

    expect(out).toContain(
      `The secret is for the sources globex, acme at ${service.url}. Its password is sent to no other service.`,
    );
    expect(await read()).toMatchObject({ baseUrl: service.url, sources: ['globex', 'acme'] });
  });

  test.each([
    ['which it may not read', async () => void (refuse.what = 'secretsmanager:GetSecretValue')],
    ['which nobody can read', async ({ write }: Bridge) => await write({ sources: 7 })],
  ])('fills a secret %s', async (_what, spoil) => {
    const bridge = await startBridge();
    await spoil(bridge);

    const { code } = await bridge.credentials('set', 'acme', '--yes');
    refuse.what = '';

    expect(code).toBe(0);
    expect(await bridge.read()).toMatchObject({ baseUrl: service.url, sources: ['acme'] });
  });
});

type Bridge = Awaited<ReturnType<typeof startBridge>>;

describe('a command that logs in with a stored secret', () => {
  test.each([
    ['service', { baseUrl: 'https://elsewhere.example' }, 'is for https://elsewhere.example, and the settings say'],
    ['source', { sources: ['globex'] }, 'is for the sources globex, and the settings say acme'],
  ])('sends nothing where it is for another %s', async (_what, binding, why) => {
    const { credentials, write } = await startBridge();
    await cloud.invoke('acme');
    cloud.putSecret('acme', service);
    await cloud.invoke('acme');
    const { username, password } = service;
    await write({ username, password, ...binding });
    const before = service.requests.total;

    const refused = await credentials('test', 'acme');

    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(why)]);
    expect(service.requests.total).toBe(before);
  });

  test('sends no password that is not bound: a changed schedule would name the address', async () => {
    const { credentials } = await startBridge();
    const before = service.requests.total;

    const { code, err } = await credentials('test', 'acme');

    expect(code).toBe(2);
    expect(err).toContain('bind the secret to it: membership-bridge credentials bind acme');
    expect(service.requests.total).toBe(before);
  });
});
