// What costs something by the month, however little it is used: part of the bill of docs/costs.md.
import { expect, it } from 'vitest';
import { countTemplate } from '../tools/bench/cost/template-counts.ts';
import { EVERYTHING, stacksOf } from './synthesized.ts';

const channel = { detailTypes: ['MemberChanged'], timeZone: 'UTC' };
const stacks = stacksOf({
  ...EVERYTHING,
  notifier: {
    channels: [
      { ...channel, name: 'slack', kind: 'slack' },
      { ...channel, name: 'mail', kind: 'email', from: 'bridge@acme.example', to: ['office@acme.example'] },
    ],
  },
});
const counts = countTemplate(Object.values(stacks).map((template) => ({ template })) as never, 2);

it('is one alarm, one secret and its schedules for a source, and four alarms for all sources', () => {
  // The audit copy adds a schedule to each source, which belongs to its option.
  expect(counts.perSource).toEqual({ alarms: 1, secrets: 1, schedules: 1 });
  expect(counts.perEnvironment).toEqual({ alarms: 4, secrets: 0, schedules: 0 });
});

it('is an alarm for each option, five for the audit copy, and a secret for a Slack channel', () => {
  expect(counts.options).toEqual({
    eventLog: { alarms: 1, secrets: 0, schedules: 0 },
    consumer: { alarms: 1, secrets: 0, schedules: 0 },
    audit: { alarms: 5, secrets: 0, schedules: 2 },
    notifier: { alarms: 1, secrets: 0, schedules: 0 },
    slack: { alarms: 1, secrets: 1, schedules: 0 },
    mail: { alarms: 1, secrets: 0, schedules: 0 },
    receiver: { alarms: 1, secrets: 0, schedules: 0 },
  });
});
