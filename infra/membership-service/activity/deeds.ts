// What people do, deed by deed, and what the action log says of each. The action keys are invented: the interface document shows none.
import type { Change } from '../action-log/entries.ts';
import type { Contact, Organisation } from '../organisation/organisation.ts';
import { pick, wholeNumber, type Random } from '../random.ts';

type Details = Change['details'];

type Deed = {
  /** How often somebody does it by itself, against the others. */
  weight: number;
  /** Who does it: the member concerned, or the administrator. */
  by: 'member' | 'administrator';
  /** About nobody in particular. */
  general?: true;
  details?: (random: Random) => Details;
};

const FIELDS = ['phone', 'email', 'address', 'birthday', 'language'];
const amount = (random: Random): Details => ({ amount: wholeNumber(random, 2, 50) * 5, currency: 'EUR' });

/** By action key. Those of weight 0 are done as part of a session only. */
const DEEDS = {
  MemberLoggedIn: { weight: 30, by: 'member' },
  ContactUpdated: { weight: 20, by: 'member', details: (random) => ({ field: pick(random, FIELDS) }) },
  PaymentCreated: { weight: 8, by: 'administrator', details: amount },
  TagMemberAdded: { weight: 6, by: 'administrator', details: () => ({ tag: 'Newsletter' }) },
  AdminLoggedIn: { weight: 6, by: 'administrator', general: true },
  ContactCreated: { weight: 5, by: 'administrator' },
  EventRegistrationCreated: { weight: 5, by: 'member', details: () => ({ event: 'Annual meeting' }) },
  PostCreated: { weight: 4, by: 'member', details: () => ({ board: 'General' }) },
  SubscriptionRenewed: { weight: 4, by: 'member', details: () => ({ plan: 'Regular' }) },
  DebtCreated: { weight: 3, by: 'administrator', details: amount },
  DonationCreated: { weight: 3, by: 'member', details: amount },
  ApplicationApproved: { weight: 2, by: 'administrator' },
  MembershipPlanChanged: { weight: 2, by: 'administrator', details: () => ({ plan: 'Supporter' }) },
  ContactsExported: { weight: 1, by: 'administrator', general: true, details: () => ({ format: 'xlsx' }) },
  SettingsUpdated: { weight: 1, by: 'administrator', general: true, details: () => ({ page: 'Branding' }) },
  TagMemberRemoved: { weight: 0, by: 'administrator', details: () => ({ tag: 'Newsletter' }) },
  EventRegistrationCancelled: { weight: 0, by: 'member', details: () => ({ event: 'Annual meeting' }) },
} as const satisfies Readonly<Record<string, Deed>>;

export type ActionKey = keyof typeof DEEDS;

const BY_WEIGHT = (Object.keys(DEEDS) as ActionKey[]).flatMap((key) =>
  Array.from({ length: DEEDS[key].weight }, () => key),
);

/** An action that somebody may do at any time, the frequent ones more often. */
export function drawActionKey(random: Random): ActionKey {
  return pick(random, BY_WEIGHT);
}

/** What an action says of a member, or of one of these people. */
export function drawChange(
  random: Random,
  actionKey: ActionKey,
  { people, organisation }: { people: readonly Contact[]; organisation: Organisation },
): Change {
  const deed: Deed = DEEDS[actionKey];
  const member = deed.general ? null : pick(random, people);
  return {
    actionKey,
    member,
    performedBy: deed.by === 'member' && member ? member.name : organisation.administrator,
    details: deed.details?.(random) ?? {},
  };
}
