// Limits of AWS that settings can reach: a synthesis beyond one fails and names the setting.
import { describe, expect, it } from 'vitest';
import { DETAIL_TYPES, NOTICE_TYPES } from '../../functions/events/event.ts';
import { BridgeError } from '../../functions/shared/errors.ts';
import { ACME, CONSUMERS, onlyResource, stacksOf, templateOf } from './synthesized.ts';

const LINK = 'https://app.membership.example/organisations/c7f11af2-04d9-47ce-b4ed-63fe38eb5997/contacts/';
const SLACK = {
  kind: 'slack',
  detailTypes: ['MemberChanged', 'GapDetected'],
  timeZone: 'Europe/Istanbul',
  links: { member: `${LINK}{organisationMembershipId}` },
  nameField: '/member/displayName',
};
const MAIL = {
  ...SLACK,
  kind: 'email',
  from: 'bridge@acme.example',
  to: Array.from({ length: 50 }, (_, index) => `somebody.with.a.long.name.${index}@members.acme.example`),
};
const RECEIVER = { name: 'crm', url: 'https://crm.example/', detailTypes: ['MemberChanged'], apiKeyHeader: 'x-key' };

const many = <Element>(count: number, toElement: (index: number) => Element): Element[] =>
  Array.from({ length: count }, (_, index) => toElement(index));
const channels = (count: number, channel: object) =>
  many(count, (index) => ({ ...channel, name: `channel-${'x'.repeat(20)}${index}` }));
const sources = (count: number) => many(count, (index) => ({ ...ACME, sourceId: `organisation-${index}` }));

/** The problems that the synthesis of a bridge fails for, below their heading. */
function problemsOf(bridge: unknown): string[] {
  try {
    stacksOf(bridge);
  } catch (error) {
    const heading = 'The context "bridge" of cdk.json asks for more than AWS takes:\n';
    if (error instanceof BridgeError && error.message.startsWith(heading)) return error.message.split('\n').slice(1);
    throw error;
  }
  return [];
}

describe('a bridge may have', () => {
  it.each([
    ['thirty Slack channels with links and long names', { notifier: { channels: channels(30, SLACK) } }],
    ['thirty channels of mail, each to fifty people', { notifier: { channels: channels(30, MAIL) } }],
    ['forty sources', { sources: sources(40) }],
    ['twenty sources with an audit copy', { sources: sources(20), audit: {} }],
  ])('%s', (_what, settings) => {
    expect(Object.keys(stacksOf({ sources: [ACME], ...settings })).length).toBeGreaterThan(1);
  });

  it('a channel and a receiver for every detail type', () => {
    const detailTypes = [...DETAIL_TYPES, ...NOTICE_TYPES];
    const bridge = { sources: [ACME], notifier: { channels: [{ ...SLACK, name: 'all', detailTypes }] } };
    const { EventPattern } = onlyResource(templateOf(bridge, CONSUMERS), 'AWS::Events::Rule').Properties;

    expect(JSON.stringify(EventPattern).length).toBeLessThan(2_048);
  });
});

describe('a synthesis fails for', () => {
  it('more channels than the role and the environment of the notifier can name', () => {
    const problems = problemsOf({ sources: [ACME], notifier: { channels: channels(55, SLACK) } });

    expect(problems).toEqual([
      expect.stringMatching(
        /^- notifier\.channels: MembershipBridge-Consumers\/Notifier\/Function\/Role has policies of [\d,]+ characters, and AWS takes 10,240; write fewer or shorter ones$/,
      ),
      expect.stringMatching(
        /^- notifier\.channels: MembershipBridge-Consumers\/Notifier\/Function\/Function has an environment of [\d,]+ bytes, and AWS takes 4,096; /,
      ),
    ]);
  });

  it('the address of a receiver that is too long', () => {
    const url = `https://crm.example/${'x'.repeat(2_029)}`;

    expect(problemsOf({ sources: [ACME], apiDestinations: [{ ...RECEIVER, url }] })).toEqual([
      '- apiDestinations, "crm": MembershipBridge-Consumers/Receiver-crm/Destination has an address of 2,049 characters, and AWS takes 2,048; write fewer or shorter ones',
    ]);
  });

  it('settings of a source that no schedule can carry', () => {
    const detailTypes = { TagChanged: many(20_000, (index) => `SomethingHappened${index}`) };

    expect(problemsOf({ sources: [{ ...ACME, detailTypes }] })).toEqual([
      expect.stringMatching(
        /^- sources, "acme": MembershipBridge\/Schedules\/acme has an input of [\d,]+ bytes, and AWS takes 262,144; /,
      ),
    ]);
  });

  it('more sources than a stack has outputs for', () => {
    expect(problemsOf({ sources: sources(60) })).toEqual([
      expect.stringMatching(/^- sources: MembershipBridge-Data has 246 outputs, and AWS takes 200; /),
    ]);
  });

  it('more receivers than a stack has resources for', () => {
    const apiDestinations = many(75, (index) => ({ ...RECEIVER, name: `crm-${index}` }));

    expect(problemsOf({ sources: [ACME], apiDestinations })).toEqual([
      expect.stringMatching(
        /^- consumers, notifier\.channels, apiDestinations or sources: MembershipBridge-Consumers has 525 resources, and AWS takes 500; /,
      ),
    ]);
  });

  it('more environments than CloudWatch Logs has policies for', () => {
    const environments = (count: number) =>
      many(count, (index) => ({ environmentName: `env-${index}`, sources: [ACME], eventLog: true }));

    expect(Object.keys(stacksOf(environments(5)))).toHaveLength(10);
    expect(problemsOf(environments(6))).toEqual([
      '- eventLog: the account would have 12 policies of log groups, and AWS takes 10; write fewer environments, or eventLog in fewer of them',
    ]);
  });
});
