// The configurations whose templates are synthesized and checked as a whole.
import { ACME, CDK_CONTEXT, EVERYTHING, OTHER } from './everything.ts';

const slack = { kind: 'slack', detailTypes: ['MemberChanged'], timeZone: 'Europe/Istanbul' };
const THIRTY = Array.from({ length: 30 }, (_, index) => ({
  ...slack,
  name: `channel-${index}`,
  links: { member: 'https://admin.membership.example/members/{organisationMembershipId}' },
}));

export const CONFIGURATIONS: Readonly<Record<string, unknown>> = {
  'the default': CDK_CONTEXT['bridge'],
  everything: EVERYTHING,
  'two environments': [EVERYTHING, { ...EVERYTHING, environmentName: 'test' }],
  'two sources': { sources: [ACME, OTHER] },
  'destinations of commands alone': { sources: [ACME], destinations: {} },
  'thirty channels': { sources: [ACME], notifier: { channels: THIRTY } },
};
