// The path to people on one machine, with deployable bundles: from a request to the membership service to the outbox.
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cachedAssembly } from '../../../../../infra/local/cloudformation/assembly-cache.ts';
import { toRunContext } from '../../../../../infra/local/run/bridge-context.ts';
import { connectChannels } from '../../../../../infra/local/run/channels.ts';
import { type LocalCloudOptions, startLocalCloud } from '../../../../../infra/local/cloud/cloud.ts';
import { startMembershipService } from '../../../../../infra/membership-service/service.ts';
import { read } from '../../../../../infra/local/outbox/visits.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';
import { until } from '../../../../support/until.ts';

const SOURCE = { sourceId: 'acme', baseUrl: 'http://127.0.0.1:1', timeZone: 'UTC', maxRequestsPerMinute: 600 };
const NOTIFIER = /-Notifier/;
const LONG_MS = 60_000;

/** All consumers with a channel of each kind. The past is read, but sent to nobody. */
async function startTelling(options: Partial<LocalCloudOptions> = {}) {
  const folder = await temporaryFolder();
  const context = toRunContext({}, { source: SOURCE, allConsumers: true });
  const assemblyFolder = await cachedAssembly({ context, environment: process.env });
  const service = await startMembershipService({ history: { entries: 20, days: 1 } });
  onTestFinished(async () => await service.close());
  const lines: string[] = [];
  const problems: string[] = [];
  const { timeZone } = service.personality.stamps;
  const cloud = await startLocalCloud({
    assemblyFolder,
    stateFolder: join(folder, 'state'),
    everyMs: null,
    // A window of five seconds lasts half a second.
    minuteMs: 6_000,
    settings: { acme: { baseUrl: service.url, timeZone } },
    onOutput: (line) => lines.push(line),
    onProblem: (problem) => problems.push(problem),
    ...options,
  });
  onTestFinished(async () => {
    await cloud.close();
    expect(problems).toEqual([]);
  });
  cloud.putSecret('acme', service);
  await connectChannels(cloud);
  const poll = async (): Promise<unknown> => (await cloud.invoke('acme')).result;
  await poll();
  const queueOf = (channel: string, part: string) =>
    cloud.queues.find(({ name }) => name.includes(`Notifier${channel}${part}`));
  return { cloud, service, lines, poll, queueOf };
}

type Telling = Awaited<ReturnType<typeof startTelling>>;

/** Over HTTP. */
async function createContact({ service }: Telling, name: string): Promise<void> {
  const { url, username, password, organisationId } = service;
  const login = new URLSearchParams({ grant_type: 'password', username, password });
  const token = await fetch(`${url}/token`, { method: 'POST', body: login });
  const { access_token: bearer } = (await token.json()) as { access_token: string };
  const answer = await fetch(`${url}/organisations/${organisationId}/contacts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  expect(answer.ok).toBe(true);
}

const kindsOf = ({ cloud }: Telling): string[] => cloud.sent().map(({ kind }) => kind);

describe('people', () => {
  test('get a new contact by Slack and by mail within one poll, and the audit copy has it', async () => {
    const telling = await startTelling();
    await createContact(telling, 'Ayşe <!channel> Yılmaz');

    await telling.poll();
    const copied = await (await fetch(`${telling.cloud.endpointUrl}/audit`)).text();
    await until(() => kindsOf(telling).length === 2, LONG_MS);

    const sent = await Promise.all(telling.cloud.sent().map(read));
    const [mail, slack] = [sent.find(({ kind }) => kind === 'mail'), sent.find(({ kind }) => kind === 'slack')];
    if (mail?.kind !== 'mail' || slack?.kind !== 'slack') throw new Error('One of the two is missing.');
    expect(slack.channel).toBe('example-slack');
    expect(JSON.stringify(slack.payload)).toContain('ContactCreated');
    expect(JSON.stringify(slack.payload)).toContain('Ayşe <!channel> Yılmaz');
    expect(mail).toMatchObject({ from: 'bridge@example.org', to: ['office@example.org'] });
    expect(mail.text).toContain('ContactCreated');
    expect(mail.html).toContain('Ayşe &lt;!channel&gt; Yılmaz');
    const page = await (await fetch(`${telling.cloud.endpointUrl}/outbox`)).text();
    expect(page).toContain('#example-slack');
    expect(page).toContain('From bridge@example.org to office@example.org');
    expect(copied).toMatch(/class="buffered">.*ContactCreated/);
  });

  test("get mails without delay while Slack is down, and messages for Slack wait in Slack's queue", async () => {
    const telling = await startTelling({ slack: { isAvailable: () => false } });
    await createContact(telling, 'Ada Tanaka');

    await telling.poll();
    await until(() => kindsOf(telling).includes('mail'), LONG_MS);

    const slack = telling.queueOf('Channelexampleslack', 'Queue');
    await until(() => (slack?.counts().inFlight ?? 0) === 1, LONG_MS);
    expect(kindsOf(telling)).toEqual(['mail']);
    const mail = telling.queueOf('Channelexamplemail', 'Queue');
    await until(() => mail?.counts().inFlight === 0);
    expect(mail?.counts()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });

  test('miss nothing if the notifier is refused for more than an hour: its events become dead letters with an alarm, and no other consumer waits', async () => {
    const error = { errorType: 'Error', errorMessage: 'Refused.' };
    const telling = await startTelling({
      // An hour lasts six seconds.
      minuteMs: 100,
      failInvocation: (name) => (NOTIFIER.test(name) ? error : null),
    });
    const dead = ['Channelexampleslack', 'Channelexamplemail'].map((name) => telling.queueOf(name, 'DeadLetters'));
    await createContact(telling, 'Ada Tanaka');
    await createContact(telling, 'Björn Lefèvre');

    const from = Date.now();
    await telling.poll();
    await until(() => telling.lines.filter((line) => line.includes('ContactCreated')).length === 2, LONG_MS);
    const othersMs = Date.now() - from;
    await until(() => dead.every((queue) => queue?.counts().visible === 2), LONG_MS);

    expect(othersMs).toBeLessThan(6_000);
    expect(kindsOf(telling)).toEqual([]);
  });
});
