// An organisation and everything it keeps about its members. Fields are invented: the interface document shows none.

export type Contact = {
  id: string;
  organisationMembershipId: string;
  name: string;
  email: string | null;
  phone: string | null;
  planId: string | null;
  createdOn: string;
};

export type Plan = {
  id: string;
  name: string;
  /** Membership fee of a year. */
  fee: number;
  currency: string;
  months: number;
};

export type Tag = { id: string; name: string; memberIds: string[] };

export type Payment = {
  id: string;
  contactId: string;
  amount: number;
  currency: string;
  description: string | null;
  paidOn: string;
};

export type Debt = {
  id: string;
  contactId: string;
  amount: number;
  currency: string;
  description: string | null;
  dueOn: string | null;
  isPaid: boolean;
};

export type Donation = {
  id: string;
  /** Null: an anonymous donation. */
  contactId: string | null;
  amount: number;
  currency: string;
  campaign: string | null;
  donatedOn: string;
};

/** Texts only, as in the interface document. */
export type Application = {
  id: string;
  name: string;
  email: string;
  plan: string;
  status: string;
  appliedOn: string;
  motivation: string;
};

export type CalendarEvent = {
  id: string;
  title: string;
  startsOn: string;
  endsOn: string;
  location: string;
  seats: number;
};

export type Board = { id: string; name: string; description: string; posts: number };

export type Country = { code: string; name: string };

/** What can be written through the interface, by collection. */
export type Writable = { contacts: Contact; tags: Tag; payments: Payment; debts: Debt; donations: Donation };

/** Collections are by id, in order of creation. */
export type Organisation = {
  id: string;
  name: string;
  administrator: string;
  /** The plan of the service itself. The free one limits the number of contacts, and not the API (Assumption A32). */
  subscription: 'Premium' | 'Free';
  contactLimit: number | null;
  language: string;
  currency: string;
  plans: ReadonlyMap<string, Plan>;
  applications: ReadonlyMap<string, Application>;
  events: readonly CalendarEvent[];
  boards: readonly Board[];
  countries: readonly Country[];
} & { [Collection in keyof Writable]: Map<string, Writable[Collection]> };

/** A map by id, in the order given. */
export function byId<Thing extends { id: string }>(things: readonly Thing[]): Map<string, Thing> {
  return new Map(things.map((thing) => [thing.id, thing]));
}
