// The names of every record's fields in both styles. All are invented; having two prevents code from relying on either.
import type {
  Application,
  Board,
  CalendarEvent,
  Contact,
  Country,
  Debt,
  Donation,
  Payment,
  Plan,
  Tag,
} from '../organisation/organisation.ts';
import type { Shape } from './record-shape.ts';

export const CONTACT: Shape<Contact> = {
  id: ['id', 'contactId'],
  organisationMembershipId: ['organisationMembershipId', 'membership.membershipId'],
  name: ['name', 'person.displayName'],
  email: ['email', 'person.emailAddress'],
  phone: ['phone', 'person.phoneNumber'],
  planId: ['planId', 'membership.plan'],
  createdOn: ['createdOn', 'since'],
};

export const PLAN: Shape<Plan> = {
  id: ['id', 'planId'],
  name: ['name', 'title'],
  fee: ['fee', 'price.value'],
  currency: ['currency', 'price.unit'],
  months: ['months', 'term'],
};

/** A tag as it is shown: `members` is a number. */
export type ShownTag = Pick<Tag, 'id' | 'name'> & { members: number };

export const TAG: Shape<ShownTag> = {
  id: ['id', 'tagId'],
  name: ['name', 'label'],
  members: ['memberCount', 'size'],
};

/** The answer to a sent tag. */
export const SENT_TAG: Shape<Pick<Tag, 'id' | 'name'>> = { id: TAG.id, name: TAG.name };

export const TAG_MEMBERS: Shape<{ memberIds: string[] }> = { memberIds: ['memberIds', 'contacts'] };

export const PAYMENT: Shape<Payment> = {
  id: ['id', 'paymentId'],
  contactId: ['contactId', 'payer'],
  amount: ['amount', 'sum.value'],
  currency: ['currency', 'sum.unit'],
  description: ['description', 'memo'],
  paidOn: ['paidOn', 'at'],
};

export const DEBT: Shape<Debt> = {
  id: ['id', 'debtId'],
  contactId: ['contactId', 'debtor'],
  amount: ['amount', 'sum.value'],
  currency: ['currency', 'sum.unit'],
  description: ['description', 'memo'],
  dueOn: ['dueOn', 'due'],
  isPaid: ['isPaid', 'settled'],
};

export const DONATION: Shape<Donation> = {
  id: ['id', 'donationId'],
  contactId: ['contactId', 'donor'],
  amount: ['amount', 'sum.value'],
  currency: ['currency', 'sum.unit'],
  campaign: ['campaign', 'purpose'],
  donatedOn: ['donatedOn', 'at'],
};

/** Flat in both styles: the interface document describes a dictionary of texts. */
export const APPLICATION: Shape<Application> = {
  id: ['id', 'applicationId'],
  name: ['name', 'applicant'],
  email: ['email', 'emailAddress'],
  plan: ['plan', 'planTitle'],
  status: ['status', 'state'],
  appliedOn: ['appliedOn', 'at'],
  motivation: ['motivation', 'remarks'],
};

export const CALENDAR_EVENT: Shape<CalendarEvent> = {
  id: ['id', 'eventId'],
  title: ['title', 'name'],
  startsOn: ['startsOn', 'time.from'],
  endsOn: ['endsOn', 'time.to'],
  location: ['location', 'place'],
  seats: ['seats', 'capacity'],
};

export const BOARD: Shape<Board> = {
  id: ['id', 'boardId'],
  name: ['name', 'title'],
  description: ['description', null],
  posts: ['postCount', 'posts'],
};

export const COUNTRY: Shape<Country> = { code: ['code', 'iso'], name: ['name', 'label'] };

export type ShownSettings = {
  id: string;
  name: string;
  subscription: string;
  contactLimit: number | null;
  timeZone: string;
  language: string;
  currency: string;
};

export const SETTINGS: Shape<ShownSettings> = {
  id: ['id', 'orgId'],
  name: ['name', 'title'],
  subscription: ['subscription', 'tier.name'],
  contactLimit: ['contactLimit', 'tier.contacts'],
  timeZone: ['timeZone', 'locale.zone'],
  language: ['language', 'locale.language'],
  currency: ['currency', 'locale.currency'],
};

export type Reachable = { id: string; name: string; role: string };
export type ShownAccount = { email: string; name: string; organisations: readonly object[] };

export const REACHABLE: Shape<Reachable> = { id: ['id', 'orgId'], name: ['name', 'title'], role: ['role', 'access'] };

export const ACCOUNT: Shape<ShownAccount> = {
  email: ['email', 'user.emailAddress'],
  name: ['name', 'user.displayName'],
  organisations: ['organisations', 'orgs'],
};

/** The answer to a change that is documented only as "JSON object". */
export const DONE: Shape<{ id: string }> = { id: ['id', 'result.affected'] };
