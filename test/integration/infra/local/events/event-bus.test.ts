import { EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { InvocationReport } from '../../../../../infra/local/lambda/invocations.ts';
import { type LocalCloud, startLocalCloud } from '../../../../../infra/local/cloud/cloud.ts';
import { PROJECT_FOLDER } from '../../../../../infra/constructs/bundling.ts';
import { writeFixtureAssembly } from '../../../../support/fixture-assembly.ts';
import { clientOptions, startFixtureCloud } from '../../../../support/fixture-cloud.ts';
import { startCloudToKill } from '../../../../support/killed-cloud.ts';
import { refusalOf } from '../../../../support/refusal.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';
import { until } from '../../../../support/until.ts';

const echo = { echo: { code: 'exports.handler = async (event) => event;' } };

const entry = (more: Partial<PutEventsRequestEntry> = {}): PutEventsRequestEntry => ({
  EventBusName: 'membership',
  Source: 'membership.actionlog',
  DetailType: 'MemberChanged',
  Detail: '{}',
  ...more,
});

async function put(cloud: LocalCloud, ...Entries: PutEventsRequestEntry[]) {
  return await new EventBridgeClient(clientOptions(cloud)).send(new PutEventsCommand({ Entries }));
}

/** Publishes the event that it gets, with the SDK, and returns the error's name. */
const PUBLISHER = `
  const { EventBridgeClient, PutEventsCommand } = require(${JSON.stringify(join(PROJECT_FOLDER, 'node_modules/@aws-sdk/client-eventbridge'))});
  exports.handler = async ({ Source }) => {
    const entry = { EventBusName: 'membership', Source, DetailType: 'MemberChanged', Detail: '{}' };
    return new EventBridgeClient({}).send(new PutEventsCommand({ Entries: [entry] })).then(() => 'accepted', ({ name }) => name);
  };`;

const POLICY = {
  Type: 'AWS::Events::EventBusPolicy',
  Properties: {
    EventBusName: { Ref: 'Bus' },
    StatementId: 'OnlyPublishers',
    Statement: {
      Sid: 'OnlyPublishers',
      Effect: 'Deny',
      Principal: '*',
      Action: 'events:PutEvents',
      Resource: { 'Fn::GetAtt': ['Bus', 'Arn'] },
      Condition: {
        'ForAnyValue:StringEquals': { 'events:source': ['membership.actionlog'] },
        StringNotEquals: { 'aws:PrincipalTag/publishes': { Ref: 'Bus' } },
      },
    },
  },
};

/** May publish, but does not. */
const TAGGED = { tagged: { ...echo.echo, roleTags: { publishes: 'membership' } } };

describe('the policy of a local bus', () => {
  test.each([
    ['a function whose role has the tag', { publishes: 'membership' }, 'membership.actionlog', 'accepted'],
    [
      'a function whose role has another value',
      { publishes: 'other' },
      'membership.actionlog',
      'AccessDeniedException',
    ],
    ['a function whose role has no tag', {}, 'membership.actionlog', 'AccessDeniedException'],
    ['a function whose role has no tag, of another source', {}, 'com.example.crm', 'accepted'],
  ])('holds for %s', async (_who, roleTags, Source, outcome) => {
    const cloud = await startFixtureCloud(
      { publisher: { code: PUBLISHER, roleTags }, ...TAGGED },
      { resources: { Policy: POLICY } },
    );

    const { result } = await cloud.invoke('acme', { Source });

    expect(result).toBe(outcome);
    expect([...cloud.services.eventbridge.resources.events()]).toHaveLength(outcome === 'accepted' ? 1 : 0);
  });

  test('holds for whoever is no function', async () => {
    const cloud = await startFixtureCloud(TAGGED, { resources: { Policy: POLICY } });

    expect(await refusalOf(put(cloud, entry({ Source: 'com.example.crm' }), entry()))).toMatchObject({
      name: 'AccessDeniedException',
      message: expect.stringContaining('OnlyPublishers'),
    });
    expect([...cloud.services.eventbridge.resources.events()]).toEqual([]);
  });
});

describe('local event bus', () => {
  test('keeps an event as a Lambda receives it, with the text of every number', async () => {
    const cloud = await startFixtureCloud(echo);
    const Detail = '{ "id": 9007199254740993,\n "amount": 1.0 }';

    const { Entries } = await put(
      cloud,
      entry({ Detail, Time: new Date('2026-03-01T10:00:00.750Z'), Resources: ['a'] }),
    );

    const [event] = cloud.services.eventbridge.resources.events();
    expect(event?.text).toBe(
      `{"version":"0","id":"${Entries?.[0]?.EventId}","detail-type":"MemberChanged","source":"membership.actionlog","account":"123456789012",` +
        '"time":"2026-03-01T10:00:00Z","region":"eu-central-1","resources":["a"],"detail":{ "id": 9007199254740993,  "amount": 1.0 }}',
    );
  });

  test('delivers to the functions with a matching rule, and to no other', async () => {
    const reports: InvocationReport[] = [];
    const code = 'exports.handler = async (event) => [event.detail.n, process.env._X_AMZN_TRACE_ID];';
    const cloud = await startFixtureCloud(
      {
        ...echo,
        members: { code, pattern: { 'detail-type': [{ prefix: 'Member' }], detail: { n: [{ numeric: ['>', 1] }] } } },
      },
      { onInvocation: (report) => reports.push(report) },
    );

    await put(cloud, entry({ Detail: '{"n":1}' }), entry({ Detail: '{"n":2}', TraceHeader: 'Root=1-0-0' }));
    await until(() => reports.length > 0);

    expect(reports).toEqual([
      expect.objectContaining({ functionName: 'Fixture-members', trigger: 'event', result: '[2,"Root=1-0-0"]' }),
    ]);
  });

  test('reports success for a bus that does not exist, and drops the event', async () => {
    const cloud = await startFixtureCloud(echo);

    const answer = await put(cloud, entry({ EventBusName: 'elsewhere' }));

    expect(answer.FailedEntryCount).toBe(0);
    expect([...cloud.services.eventbridge.resources.events()]).toEqual([]);
  });

  test('refuses entries one by one, in their positions, and accepts the others', async () => {
    const cloud = await startFixtureCloud(echo);

    const { FailedEntryCount, Entries } = await put(
      cloud,
      entry({ Detail: '{"n":1}' }),
      entry({ Detail: '[1]' }),
      entry({ Detail: '{"n":' }),
      entry({ DetailType: 'x'.repeat(129) }),
      entry({ Source: 'aws.events' }),
      entry({ DetailType: 'x'.repeat(128) }),
    );

    expect(FailedEntryCount).toBe(4);
    expect(Entries?.map(({ EventId, ErrorCode }) => ErrorCode ?? typeof EventId)).toEqual([
      'string',
      'MalformedDetail',
      'MalformedDetail',
      'InvalidArgument',
      'NotAuthorizedForSourceException',
      'string',
    ]);
    expect([...cloud.services.eventbridge.resources.events()]).toHaveLength(2);
  });

  test('refuses a request with eleven entries, without any, and with too many bytes', async () => {
    const cloud = await startFixtureCloud(echo);
    const bytesOfTheRest = 14 + 'membership.actionlog'.length + 'MemberChanged'.length + '{"text":""}'.length;
    const fill = (bytes: number): PutEventsRequestEntry =>
      entry({ Detail: `{"text":"${'é'.repeat((bytes - bytesOfTheRest) / 2)}"}`, Time: new Date(0) });

    const eleven = await refusalOf(put(cloud, ...Array.from({ length: 11 }, () => entry())));
    const none = await refusalOf(put(cloud));
    const large = await refusalOf(put(cloud, fill(500_000), fill(500_002)));
    const full = await put(cloud, fill(500_000), fill(500_000));

    expect([eleven, none, large].map(({ name }) => name)).toEqual(
      Array.from({ length: 3 }, () => 'ValidationException'),
    );
    expect(full.FailedEntryCount).toBe(0);
  });

  test('has every accepted event in its journal after everything is killed', async () => {
    const folder = await temporaryFolder();
    const assemblyFolder = await writeFixtureAssembly(join(folder, 'assembly'), echo);
    const stateFolder = join(folder, 'state');
    const options = { assemblyFolder, stateFolder, everyMs: null };
    const { child, cloud: killed } = await startCloudToKill(options);
    const client = new EventBridgeClient(clientOptions(killed));
    const accepted: string[] = [];
    const publishing = (async () => {
      for (;;) {
        const { Entries = [] } = await client.send(new PutEventsCommand({ Entries: [entry(), entry()] }));
        accepted.push(...Entries.map(({ EventId }) => String(EventId)));
        if (accepted.length === 100) child.kill('SIGKILL');
      }
    })();

    await expect(publishing).rejects.toThrow();

    const cloud = await startLocalCloud(options);
    onTestFinished(async () => await cloud.close());
    const kept = new Set([...cloud.services.eventbridge.resources.events()].map(({ id }) => id));
    expect(accepted.filter((id) => !kept.has(id))).toEqual([]);
  });
});
