// What CloudWatch's console shows of an environment: the dashboard, and the queries that are saved for it.
import { describe, expect, it } from 'vitest';
import {
  ACME,
  acrossStacks,
  BRIDGE,
  CONSUMERS,
  EVERYTHING,
  onlyEntry,
  onlyResource,
  resolveText,
  resourcesOf,
  stacksOf,
  templateOf,
} from './synthesized.ts';

type Widget = {
  type: string;
  properties: { title?: string; markdown?: string; query?: string; metrics?: unknown[][]; alarms?: string[] };
};

const [pollerLog] = onlyEntry(templateOf(EVERYTHING), 'AWS::Logs::LogGroup', 'Poller');

function dashboardOf(bridge: object): { name: unknown; widgets: Widget[] } {
  const { DashboardName, DashboardBody } = onlyResource(
    templateOf(bridge, CONSUMERS),
    'AWS::CloudWatch::Dashboard',
  ).Properties;
  const body = resolveText(acrossStacks(stacksOf(bridge), DashboardBody), (name) => `<${name}>`);
  return { name: DashboardName, ...(JSON.parse(body) as { widgets: Widget[] }) };
}

const { name, widgets } = dashboardOf(EVERYTHING);
const titled = (title: string): Widget['properties'] =>
  widgets.find(({ properties }) => properties.title?.startsWith(title))?.properties ?? {};
const dimensions = (title: string): string[] => (titled(title).metrics ?? []).map(([, , , value]) => String(value));
const idsOf = (type: string, stackName = CONSUMERS): string[] =>
  resourcesOf(templateOf(EVERYTHING, stackName), type).map(([id]) => id);

describe('the dashboard', () => {
  it('exists only where it is switched on, because it has a price', () => {
    const without = Object.values(stacksOf({ ...EVERYTHING, dashboard: undefined }));

    expect(without.flatMap((template) => resourcesOf(template, 'AWS::CloudWatch::Dashboard'))).toEqual([]);
    expect(name).toBe(BRIDGE);
  });

  it('shows the state of every alarm of the environment', () => {
    const alarms = Object.values(stacksOf(EVERYTHING)).flatMap((template) =>
      resourcesOf(template, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties['AlarmName'] as string),
    );

    const shown = titled('Alarms').alarms?.map((arn) => arn.replace(/^arn:.*:alarm:/, ''));

    expect(shown?.toSorted()).toEqual(alarms.toSorted());
  });

  it('draws the heartbeat of every source', () => {
    const lines = titled('Successful polls').metrics?.map((line) => line.slice(0, 6));

    expect(lines).toEqual(
      ['acme', 'other'].map((sourceId) => [BRIDGE, 'SuccessfulPoll', 'service', 'poller', 'sourceId', sourceId]),
    );
  });

  it.each(['Lag', 'Entries', 'Each source'])('asks the log of the poller for "%s"', (title) => {
    expect(titled(title).query).toMatch(`SOURCE '<${pollerLog}>' | filter message in ["Polled.", "Ticked."]\n| stats `);
  });

  it('draws the invocations and failures of every function of a consumer', () => {
    const functions = idsOf('AWS::Lambda::Function').map((id) => `<${id}>`);

    expect(functions.length).toBeGreaterThan(3);
    for (const title of ['Consumers: invocations', 'Consumers: failed'])
      expect(dimensions(title).toSorted()).toEqual(functions.toSorted());
  });

  it('draws the dead letters of every consumer', () => {
    const queues = resourcesOf(templateOf(EVERYTHING, CONSUMERS), 'AWS::CloudWatch::Alarm').flatMap(
      ([, { Properties }]) =>
        /"Fn::GetAtt":\["(\w+)","QueueName"\]/.exec(JSON.stringify(Properties['Dimensions']))?.[1] ?? [],
    );

    expect(queues.length).toBeGreaterThan(3);
    expect(dimensions('Consumers: dead').toSorted()).toEqual(queues.map((id) => `<${id}.QueueName>`).toSorted());
  });

  it('has no empty graph where there are no consumers', () => {
    const { widgets } = dashboardOf({ sources: [ACME], dashboard: true });

    expect(widgets.flatMap(({ properties }) => properties.title ?? [])).toEqual([
      'Alarms',
      'Successful polls of each source',
      'Lag of the source furthest behind, in minutes',
      'Entries, by the hour',
      'Each source',
    ]);
  });

  it('is that of its environment', () => {
    const template = stacksOf({ ...EVERYTHING, environmentName: 'test' })['MembershipBridge-test-Consumers'];
    const { Properties } = onlyResource(template ?? templateOf(), 'AWS::CloudWatch::Dashboard');

    expect(Properties['DashboardName']).toBe('MembershipBridge-test');
    expect(JSON.stringify(Properties)).not.toMatch(/MembershipBridge(?!-test)/);
  });
});

describe('the saved queries', () => {
  it('are five, in the folder of the environment, on the logs of the poller and of all consumers', () => {
    const saved = [BRIDGE, CONSUMERS].flatMap((stackName) =>
      resourcesOf(templateOf(EVERYTHING, stackName), 'AWS::Logs::QueryDefinition').map(
        ([, { Properties }]) => Properties,
      ),
    );
    const ofPoller = [{ Ref: pollerLog }];
    const ofConsumers = idsOf('AWS::Logs::LogGroup').filter((id) => !id.startsWith('AuditCopy'));

    expect(saved.map(({ Name }) => Name)).toEqual([
      'MembershipBridge/1 Is each source read, and how far behind is it',
      'MembershipBridge/2 Why did runs fail or wait',
      'MembershipBridge/3 How many entries came, and how many were duplicates',
      'MembershipBridge/4 What may be missing',
      'MembershipBridge/5 What failed in a consumer',
    ]);
    for (const { LogGroupNames } of saved.slice(0, 4)) expect(LogGroupNames).toEqual(ofPoller);
    const read = JSON.stringify(saved[4]).match(/(?<="Ref":")\w+/g) ?? [];
    expect(read.toSorted()).toEqual(ofConsumers.toSorted());
  });

  it('exist without the dashboard, because they cost nothing', () => {
    expect(resourcesOf(templateOf(), 'AWS::Logs::QueryDefinition')).toHaveLength(4);
  });
});
