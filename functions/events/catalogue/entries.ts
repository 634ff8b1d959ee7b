// The events made from entries of the action log: which actions each detail type stands for, with an example.
import type { DetailType } from '../event.ts';

export type EntryEntry = {
  /** What has happened, in a sentence. */
  when: string;
  /** An action key of it. The interface document shows none: it is invented. */
  actionKey: string;
};

export const ENTRIES: { readonly [Type in DetailType]: EntryEntry } = {
  MemberChanged: {
    when: 'A member or contact was created, changed or removed: name, emails, phones, addresses, education, work, photo.',
    actionKey: 'ContactUpdated',
  },
  MembershipChanged: {
    when: 'A plan, a fee, a subscription or an application for membership has changed, or a membership was renewed.',
    actionKey: 'SubscriptionRenewed',
  },
  PaymentChanged: {
    when: 'A payment, refund, invoice, credit card or transaction has changed.',
    actionKey: 'PaymentCreated',
  },
  DebtChanged: { when: 'A debt has changed.', actionKey: 'DebtCreated' },
  DonationChanged: { when: 'A donation, a donor or a campaign has changed.', actionKey: 'DonationCreated' },
  CalendarEventChanged: {
    when: 'An event of the calendar, its registrations or its attendees have changed.',
    actionKey: 'EventRegistrationCreated',
  },
  TagChanged: { when: 'A tag has changed, or members were added to it or removed.', actionKey: 'TagMemberAdded' },
  CommunityChanged: {
    when: 'A discussion board, a post, a job posting or a corporate member has changed.',
    actionKey: 'PostCreated',
  },
  SettingsChanged: {
    when: 'Settings of the organisation, custom fields, select lists, roles or reference lists have changed.',
    actionKey: 'SettingsUpdated',
  },
  OtherActionLogged: {
    when: 'Anything else; logins, reads and exports always, whatever their key; and entries without an action key.',
    actionKey: 'MemberLoggedIn',
  },
};
