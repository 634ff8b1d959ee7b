// What the people of the organisation do all day: the past that it begins with, and live activity.
// The action keys are invented: the interface document shows none.
import type { Change } from './entries.ts';
import type { Contact, Organisation } from './organisation.ts';
import { changeTagMembers, createContact, createPayment } from './organisation-changes.ts';
import { createRandom, pick, wholeNumber, type Random } from './random.ts';
import { drawName } from './seeded-organisation.ts';
import type { State } from './state.ts';

type Details = Change['details'];
type Deed = {
  actionKey: string;
  /** How often, against the others. */
  weight: number;
  /** Who does it: the member concerned, or the administrator. */
  by: 'member' | 'administrator';
  /** About nobody in particular. */
  general?: true;
  details?: (random: Random) => Details;
};

const FIELDS = ['phone', 'email', 'address', 'birthday', 'language'];
const amount = (random: Random): Details => ({ amount: wholeNumber(random, 2, 50) * 5, currency: 'EUR' });

const DEEDS: readonly Deed[] = [
  { actionKey: 'MemberLoggedIn', weight: 30, by: 'member' },
  { actionKey: 'ContactUpdated', weight: 20, by: 'member', details: (random) => ({ field: pick(random, FIELDS) }) },
  { actionKey: 'PaymentCreated', weight: 8, by: 'administrator', details: amount },
  { actionKey: 'TagMemberAdded', weight: 6, by: 'administrator', details: () => ({ tag: 'Newsletter' }) },
  { actionKey: 'AdminLoggedIn', weight: 6, by: 'administrator', general: true },
  { actionKey: 'ContactCreated', weight: 5, by: 'administrator' },
  { actionKey: 'EventRegistrationCreated', weight: 5, by: 'member', details: () => ({ event: 'Annual meeting' }) },
  { actionKey: 'PostCreated', weight: 4, by: 'member', details: () => ({ board: 'General' }) },
  { actionKey: 'SubscriptionRenewed', weight: 4, by: 'member', details: () => ({ plan: 'Regular' }) },
  { actionKey: 'DebtCreated', weight: 3, by: 'administrator', details: amount },
  { actionKey: 'DonationCreated', weight: 3, by: 'member', details: amount },
  { actionKey: 'ApplicationApproved', weight: 2, by: 'administrator' },
  { actionKey: 'MembershipPlanChanged', weight: 2, by: 'administrator', details: () => ({ plan: 'Supporter' }) },
  { actionKey: 'ContactsExported', weight: 1, by: 'administrator', general: true, details: () => ({ format: 'xlsx' }) },
  {
    actionKey: 'SettingsUpdated',
    weight: 1,
    by: 'administrator',
    general: true,
    details: () => ({ page: 'Branding' }),
  },
];
const BY_WEIGHT = DEEDS.flatMap((deed) => Array.from({ length: deed.weight }, () => deed));

/** Logs `entries` things that happened in the last `days` days, mostly by day. */
export function writeHistory(state: State, { entries, days }: { entries: number; days: number }): void {
  const random = createRandom(`${state.seed}/history`);
  const end = Math.floor(state.now());
  const instants = Array.from({ length: entries }, () => drawInstant(random, end, days)).sort((a, b) => a - b);
  const people = [...state.organisation.contacts.values()];
  state.commitAll(
    instants.map((at) => ({ ...drawChange(random, pick(random, BY_WEIGHT), people, state.organisation), at })),
  );
}

export type Activity = { start(options: { perMinute: number }): void; stop(): void };

/** Live activity: now and then somebody does something, at random distances of `60 / perMinute` seconds on average. Its timers keep no process alive. */
export function createActivity(state: State): Activity {
  const random = createRandom(`${state.seed}/activity/${state.log.written.length}`);
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => clearTimeout(timer);
  const start = ({ perMinute }: { perMinute: number }): void => {
    stop();
    if (!(perMinute > 0)) return;
    const pause = (-Math.log(1 - random()) * 60_000) / perMinute;
    timer = setTimeout(() => {
      actOnce(state, random);
      start({ perMinute });
    }, pause).unref();
  };
  return { start, stop };
}

/** One thing that somebody does; contacts, payments and tags change with it. */
export function actOnce(state: State, random: Random): void {
  const { organisation } = state;
  const deed = pick(random, BY_WEIGHT);
  const people = [...organisation.contacts.values()];
  const someone = pick(random, people);
  if (deed.actionKey === 'ContactCreated') {
    createContact(state, { name: drawName(random), email: `member${people.length + 1}@example.org`, phone: null });
  } else if (deed.actionKey === 'PaymentCreated') {
    const value = wholeNumber(random, 2, 50) * 5;
    createPayment(state, { contactId: someone.id, amount: value, currency: 'EUR', description: null });
  } else if (deed.actionKey === 'TagMemberAdded') {
    changeTagMembers(state, pick(random, [...organisation.tags.values()]), [someone], 'add');
  } else state.commit([drawChange(random, deed, people, organisation)]);
}

function drawChange(random: Random, deed: Deed, people: readonly Contact[], organisation: Organisation): Change {
  const member = deed.general ? null : pick(random, people);
  return {
    actionKey: deed.actionKey,
    member,
    performedBy: deed.by === 'member' && member ? member.name : organisation.administrator,
    details: deed.details?.(random) ?? {},
  };
}

const DAY_MS = 86_400_000;

/** An instant of the last days; three times in four one that falls into the day's middle half. */
function drawInstant(random: Random, end: number, days: number): number {
  const instant = end - Math.floor(random() * days * DAY_MS) - 1;
  const hour = new Date(instant).getUTCHours();
  const isByNight = hour < 6 || hour >= 18;
  return isByNight && random() < 0.5 && instant + DAY_MS / 2 < end ? instant + DAY_MS / 2 : instant;
}
