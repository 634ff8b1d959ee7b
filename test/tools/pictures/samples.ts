// The changes in the pictures of docs/notifications.md, with a member whose name contains markup.
import type { Change } from '../../../functions/consumers/notifier/what-to-say/change.ts';
import type { NotifierChannel } from '../../../functions/consumers/notifier/config.ts';

const ADA = { id: '3f2504e0-4f89-41d3-9a0c-0305e82c3301', name: 'Ada Lovelace' };
const ELENI = { id: '7c9e6679-7425-40de-944b-e07fc1f90ae7', name: 'Ελένη Παππά' };
const EVIL = { id: '550e8400-e29b-41d4-a716-446655440000', name: '<!channel> <https://evil|Reset> & *b*' };

/** Time of day in UTC, detail type, action key, member. */
const MORNING: readonly [string, string, string | null, Change['member']][] = [
  ['07:03', 'Member changed', 'ContactCreated', ADA],
  ['07:04', 'Member changed', 'ContactEmailAdded', ADA],
  ['07:31', 'Membership changed', 'SubscriptionStarted', ADA],
  ['08:12', 'Payment changed', 'PaymentReceived', ELENI],
  ['08:40', 'Member changed', 'ContactUpdated', EVIL],
  ['09:15', 'Tag changed', 'TagRenamed', null],
];

export const CHANGES: readonly Change[] = [
  ...MORNING.map(([time, what, action, member], index) => ({
    id: `event-${index}`,
    what,
    action,
    member,
    at: Date.parse(`2026-11-21T${time}:00Z`),
    isNotice: false,
  })),
  {
    id: 'notice',
    what: 'Changes were found late (source acme)',
    action: null,
    member: null,
    at: Date.parse('2026-11-21T09:30:00Z'),
    isNotice: true,
  },
];

export const OPTIONS: Pick<NotifierChannel, 'name' | 'timeZone' | 'links'> = {
  name: 'board-mail',
  timeZone: 'Europe/Amsterdam',
  links: { member: 'https://app.example/contacts/{organisationMembershipId}' },
};
