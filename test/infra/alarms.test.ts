import type { Quarantine } from '../../functions/source/ports.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createPollMetrics, type PollMetrics } from '../../functions/poller/metrics.ts';
import type { PollResult } from '../../functions/poller/result.ts';
import { BridgeError } from '../../functions/shared/errors.ts';
import type { JsonObject } from '../../functions/shared/json.ts';
import { PROJECT_FOLDER } from '../../infra/constructs/bundling.ts';
import {
  ACME,
  acrossStacks,
  BRIDGE,
  CONSUMERS,
  DATA,
  EVERYTHING,
  onlyEntry,
  onlyResource,
  OTHER,
  resolveText,
  resourcesOf,
  stacksOf,
  templateOf,
} from './synthesized.ts';

/** The alarms of all stacks by name. */
function alarmsOf(bridge?: unknown): ReadonlyMap<string, JsonObject> {
  const stacks = stacksOf(bridge);
  const alarms = Object.values(stacks).flatMap((template) => resourcesOf(template, 'AWS::CloudWatch::Alarm'));
  return new Map(
    alarms.map(([, { Properties }]) => [
      Properties['AlarmName'] as string,
      acrossStacks(stacks, Properties) as JsonObject,
    ]),
  );
}

function alarm(name: string, bridge: unknown = EVERYTHING): JsonObject {
  const found = alarmsOf(bridge).get(name);
  if (found === undefined) throw new Error(`there is no alarm "${name}"`);
  return found;
}

const [topicId] = onlyEntry(templateOf(EVERYTHING, DATA), 'AWS::SNS::Topic');

it('exist once per source, four times for all sources, per dead-letter queue and for the audit copy, named after their bridge', () => {
  expect([...alarmsOf(EVERYTHING).keys()].sort()).toEqual([
    'MembershipBridge acme: no successful poll',
    'MembershipBridge audit copy: dead letters',
    'MembershipBridge audit copy: not written',
    'MembershipBridge audit keeper: dead letters',
    'MembershipBridge audit sealer: dead letters',
    'MembershipBridge audit sealer: failing',
    'MembershipBridge crm: dead letters',
    'MembershipBridge deliverer: dead letters',
    'MembershipBridge deliverer: destinations failing',
    'MembershipBridge event log: dead letters',
    'MembershipBridge member-change: dead letters',
    'MembershipBridge notifier board: dead letters',
    'MembershipBridge notifier office: dead letters',
    'MembershipBridge notifier: dead letters',
    'MembershipBridge other: no successful poll',
    'MembershipBridge poller: credentials refused',
    'MembershipBridge poller: entries in quarantine',
    'MembershipBridge poller: gap detected',
    'MembershipBridge poller: sweep open for a day',
  ]);
});

it('exist for a source even when nothing is switched on and nobody is notified', () => {
  expect([...alarmsOf().keys()]).toEqual([
    'MembershipBridge acme: no successful poll',
    'MembershipBridge poller: credentials refused',
    'MembershipBridge poller: entries in quarantine',
    'MembershipBridge poller: gap detected',
    'MembershipBridge poller: sweep open for a day',
  ]);
});

it('notify when they fire and when they end', () => {
  const told = [{ Ref: topicId }];

  for (const properties of alarmsOf(EVERYTHING).values()) {
    expect(properties).toMatchObject({ AlarmActions: told, OKActions: told });
    expect(properties['ActionsEnabled']).not.toBe(false);
  }
});

it('of a source watch the metric of that source, the others those of all sources', () => {
  const ours = [...alarmsOf(EVERYTHING)].filter(([, { Namespace }]) => Namespace === BRIDGE);
  const watched = ours.filter(([name]) => !name.includes(' deliverer: '));

  expect(watched).toHaveLength(6);
  for (const [name, { Dimensions }] of watched) {
    const sourceId = / (\w+): no successful poll/.exec(name)?.[1];
    const ofSource = sourceId === undefined ? [] : [{ Name: 'sourceId', Value: sourceId }];
    expect(Dimensions).toEqual([{ Name: 'service', Value: 'poller' }, ...ofSource]);
  }
});

it.each([
  ['credentials refused', 'CredentialsRefused'],
  ['entries in quarantine', 'Quarantined'],
  ['gap detected', 'GapDetected'],
  ['sweep open for a day', 'SweepOverdue'],
])('of all sources, as "%s", have the command that names the source', (name, metricName) => {
  const [logs] = onlyEntry(templateOf(EVERYTHING), 'AWS::Logs::LogGroup', 'Poller');
  const text = resolveText(alarm(`MembershipBridge poller: ${name}`)['AlarmDescription'], (id) => `<${id}>`);

  expect(text).toContain(
    `aws logs tail <${logs}> --region <AWS::Region> --since 1h --format short --filter-pattern '{$.${metricName} > 0}'`,
  );
  // CloudWatch's limit, with the longest names of log group, environment and region.
  const named = 512 + 2 * 20;
  expect(text.replaceAll(/<[^>]+>/g, '').length + named + 2 * 20).toBeLessThan(1_024);
});

it('say what to do first, and name a heading of docs/operating.md', () => {
  const headings = readFileSync(join(PROJECT_FOLDER, 'docs/operating.md'), 'utf8').split('\n');
  const descriptions = [...alarmsOf(EVERYTHING).values()].map(({ AlarmDescription }) =>
    resolveText(AlarmDescription, (name) => name),
  );

  const readOn = descriptions.map((text) => /\. First .* "([^"]+)" in docs\/operating\.md/.exec(text)?.[1]);

  expect(new Set(readOn)).toEqual(
    new Set([
      'No successful poll',
      'Credentials refused',
      'Entries in quarantine',
      'Gap detected',
      'Sweep open for a day',
      'Dead letters',
      'Audit sealer failing',
      'Audit copy not written',
      'Destinations failing',
    ]),
  );
  for (const heading of readOn) expect(headings).toContain(`### ${heading}`);
});

it('have their name in the section of docs/operating.md that they name', () => {
  const guide = readFileSync(join(PROJECT_FOLDER, 'docs/operating.md'), 'utf8');
  const unnamed = [...alarmsOf(EVERYTHING)].filter(([name, { AlarmDescription }]) => {
    const [, heading = ''] = /"([^"]+)" in docs\/operating\.md/.exec(resolveText(AlarmDescription, (id) => id)) ?? [];
    const [, section = ''] = guide.split(`\n### ${heading}\n`);
    const [what = ''] = / poller: .+|: [^:]+$/.exec(name) ?? [];
    return !(section.split('\n### ')[0] ?? '').includes(`${what}\``);
  });

  expect(unnamed.map(([name]) => name)).toEqual([]);
});

it('end with the command of the operator that shows more, of their stack and region', () => {
  const commands = [...alarmsOf(EVERYTHING)].map(([name, { AlarmDescription }]) => {
    const text = resolveText(AlarmDescription, (id) => `<${id}>`);
    const [, command] =
      /\. More: npx membership-bridge (.+) --stack MembershipBridge --region <AWS::Region>$/.exec(text) ?? [];
    return [name.replace('MembershipBridge ', ''), command];
  });

  expect(Object.fromEntries(commands)).toMatchObject({
    'acme: no successful poll': 'status acme',
    'audit copy: not written': 'status',
    'audit sealer: failing': 'logs "audit sealer"',
    'notifier office: dead letters': 'dead-letters list "notifier office"',
    'deliverer: destinations failing': 'destinations list',
    'poller: credentials refused': 'status',
    'poller: entries in quarantine': 'quarantine list',
    'poller: gap detected': 'gaps',
    'poller: sweep open for a day': 'status',
  });
  expect(commands.filter(([, command]) => command === undefined)).toEqual([]);
});

it('of a queue say which queue it is', () => {
  const [queueId] = onlyEntry(templateOf(EVERYTHING), 'AWS::SQS::Queue');
  const { AlarmDescription } = alarm('MembershipBridge event log: dead letters');

  expect(resolveText(AlarmDescription, (name) => `<${name}>`)).toContain(`in the queue <${queueId}.QueueName>,`);
});

describe('"no successful poll"', () => {
  const properties = alarm('MembershipBridge acme: no successful poll');

  it('fires after three periods of five minutes without one, or without any data', () => {
    expect(properties).toMatchObject({
      MetricName: 'SuccessfulPoll',
      Statistic: 'Sum',
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 1,
      Period: 300,
      EvaluationPeriods: 3,
      TreatMissingData: 'breaching',
    });
    expect(properties).not.toHaveProperty('DatapointsToAlarm');
    expect(resolveText(properties['AlarmDescription'], (id) => id)).toContain('for 15 minutes');
  });

  it.each([
    [5, 300, 15],
    [20, 1200, 60],
  ])('of a source polled every %d minutes has periods of %d seconds', (everyMinutes, seconds, minutes) => {
    const properties = alarm('MembershipBridge acme: no successful poll', {
      sources: [{ ...ACME, every: `PT${everyMinutes}M` }],
    });

    expect(properties).toMatchObject({ Period: seconds, EvaluationPeriods: 3 });
    expect(resolveText(properties['AlarmDescription'], (id) => id)).toContain(`for ${minutes} minutes`);
  });
});

/** At the first run of any source that reports it; no report is no alarm. */
const OF_ALL_SOURCES = {
  ComparisonOperator: 'GreaterThanOrEqualToThreshold',
  Threshold: 1,
  Period: 300,
  EvaluationPeriods: 1,
  TreatMissingData: 'notBreaching',
};

it('"credentials refused" fires at the first refused run of any source, and ends when no run reports it', () => {
  const expected = { ...OF_ALL_SOURCES, MetricName: 'CredentialsRefused', Statistic: 'Maximum' };

  expect(alarm('MembershipBridge poller: credentials refused')).toMatchObject(expected);
});

it('"entries in quarantine" fires at the first entry that the bus refused, and ends when no run reports any', () => {
  const expected = { ...OF_ALL_SOURCES, MetricName: 'Quarantined', Statistic: 'Sum' };

  expect(alarm('MembershipBridge poller: entries in quarantine')).toMatchObject(expected);
});

it.each([
  ['gap detected', 'GapDetected', 'Sum'],
  ['sweep open for a day', 'SweepOverdue', 'Maximum'],
])(
  '"%s" fires at the first run of any source that reports it, and ends when none does',
  (name, MetricName, Statistic) => {
    expect(alarm(`MembershipBridge poller: ${name}`)).toMatchObject({ ...OF_ALL_SOURCES, MetricName, Statistic });
  },
);

it.each(['credentials refused', 'entries in quarantine'])(
  '"%s" has the period of the source that is polled least often',
  (name) => {
    const bridge = { sources: [ACME, { ...OTHER, every: 'PT20M' }] };

    expect(alarm(`MembershipBridge poller: ${name}`, bridge)['Period']).toBe(1200);
  },
);

it('"audit sealer: failing" fires when a run fails, and keeps its state while none runs', () => {
  const [functionId] = onlyEntry(templateOf(EVERYTHING, CONSUMERS), 'AWS::Lambda::Function', 'AuditSealer');

  expect(alarm('MembershipBridge audit sealer: failing')).toMatchObject({
    Namespace: 'AWS/Lambda',
    MetricName: 'Errors',
    Dimensions: [{ Name: 'FunctionName', Value: { Ref: functionId } }],
    Statistic: 'Sum',
    ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    Threshold: 1,
    Period: 3600,
    EvaluationPeriods: 1,
    TreatMissingData: 'ignore',
  });
});

it('"audit copy: not written" fires when events have waited in the stream for half an hour', () => {
  const [streamId] = onlyEntry(templateOf(EVERYTHING, CONSUMERS), 'AWS::KinesisFirehose::DeliveryStream');

  expect(alarm('MembershipBridge audit copy: not written')).toMatchObject({
    Namespace: 'AWS/Firehose',
    MetricName: 'DeliveryToS3.DataFreshness',
    Dimensions: [{ Name: 'DeliveryStreamName', Value: { Ref: streamId } }],
    Statistic: 'Maximum',
    ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    Threshold: 1800,
    Period: 300,
    EvaluationPeriods: 1,
    TreatMissingData: 'notBreaching',
  });
});

describe('"dead letters"', () => {
  it.each([
    ['event log', BRIDGE, 'EventLog'],
    ['member-change', CONSUMERS, 'MemberChange'],
    ['audit copy', CONSUMERS, 'AuditCopy'],
    ['audit keeper', CONSUMERS, 'AuditKeeper'],
    ['audit sealer', CONSUMERS, 'AuditSealer'],
  ])('of the %s fires at the first message in its queue, and not without data', (owner, stackName, id) => {
    const [queueId] = onlyEntry(templateOf(EVERYTHING, stackName), 'AWS::SQS::Queue', id);

    expect(alarm(`MembershipBridge ${owner}: dead letters`)).toMatchObject({
      Namespace: 'AWS/SQS',
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [queueId, 'QueueName'] } }],
      Statistic: 'Maximum',
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      Threshold: 1,
      Period: 300,
      EvaluationPeriods: 1,
      TreatMissingData: 'notBreaching',
    });
  });

  it('watches every queue except those that notifier and deliverer read', () => {
    const watched = [...alarmsOf(EVERYTHING).values()].flatMap(({ Dimensions }) => JSON.stringify(Dimensions));
    const queues = Object.values(stacksOf(EVERYTHING)).flatMap((template) => resourcesOf(template, 'AWS::SQS::Queue'));
    const last = queues.filter(([, { Properties }]) => Properties['RedrivePolicy'] === undefined);

    expect([queues.length, last.length]).toEqual([14, 10]);
    for (const [queueId] of last) expect(watched.some((dimensions) => dimensions.includes(queueId))).toBe(true);
  });
});

describe('the watched metrics', () => {
  it.each([
    ['a successful run', 'SuccessfulPoll', measured(async () => await Promise.resolve(IDLE))],
    ['a refused run', 'CredentialsRefused', measured(async () => await Promise.reject(REFUSED))],
    [
      'a run with an entry too much',
      'Quarantined',
      async (metrics: PollMetrics) =>
        await metrics.countQuarantined<Quarantine>('acme', { keep: async () => {} }).keep(KEPT),
    ],
    ['a run behind', 'SweepOverdue', measured(async () => await Promise.resolve({ ...IDLE, overdue: ['settle'] }))],
  ])('are those that the poller writes: %s has %s', async (_run, metricName, run) => {
    const { Namespace, Dimensions } =
      [...alarmsOf().values()].find(({ MetricName }) => MetricName === metricName) ?? {};

    const written = await linesOf(run);

    expect(written).toContainEqual(
      expect.objectContaining({
        _aws: expect.objectContaining({
          CloudWatchMetrics: [
            {
              Namespace,
              Dimensions: [(Dimensions as { Name: string }[]).map(({ Name }) => Name)],
              Metrics: expect.arrayContaining([expect.objectContaining({ Name: metricName })]),
            },
          ],
        }),
        ...Object.fromEntries(
          (Dimensions as { Name: string; Value: string }[]).map(({ Name, Value }) => [Name, Value]),
        ),
      }),
    );
  });

  it('are those of the same environment', () => {
    const stacks = stacksOf({ ...EVERYTHING, environmentName: 'test' });
    const template = stacks['MembershipBridge-test'] ?? templateOf();

    const poller = onlyResource(template, 'AWS::Lambda::Function').Properties;
    const namespaces = resourcesOf(template, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties);

    expect(JSON.stringify(poller)).toContain('"METRICS_NAMESPACE":"MembershipBridge-test"');
    for (const { Namespace, AlarmName } of namespaces) {
      expect(['MembershipBridge-test', 'AWS/SQS']).toContain(Namespace);
      expect(AlarmName).toMatch(/^MembershipBridge-test /);
    }
  });
});

const IDLE: PollResult = {
  sourceId: 'acme',
  outcome: 'idle',
  requests: 1,
  entriesRead: 0,
  eventsPublished: 0,
  duplicatesSuppressed: 0,
  quarantined: 0,
  lagMs: 0,
};
const REFUSED = new BridgeError('CredentialsRefused', 'refused', { retryable: false, details: {} });

const KEPT = { eventId: 'a', sourceId: 'acme', reason: '', message: '', entry: '{}', metadata: '{}', quarantinedAt: 0 };

function measured(run: () => Promise<PollResult>): (metrics: PollMetrics) => Promise<unknown> {
  return async (metrics) => await metrics.measure('acme', run);
}

/** The metric lines of a poller's run. */
async function linesOf(run: (metrics: PollMetrics) => Promise<unknown>): Promise<unknown[]> {
  const written: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  onTestFinished(() => write.mockRestore());
  await run(createPollMetrics('MembershipBridge')).catch(() => null);
  write.mockRestore();
  return written.filter((line) => line.includes('_aws')).map((line) => JSON.parse(line) as unknown);
}
