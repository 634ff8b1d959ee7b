// The organisation: who its members are, with plans, tags and payments. The interface document shows no field of them: all are invented.

export type Contact = {
  id: string;
  organisationMembershipId: string;
  name: string;
  email: string | null;
  phone: string | null;
  planId: string | null;
  createdOn: string;
};

export type Plan = { id: string; name: string; fee: number; currency: string };

export type Tag = { id: string; name: string; memberIds: string[] };

export type Payment = {
  id: string;
  contactId: string;
  amount: number;
  currency: string;
  description: string | null;
  paidOn: string;
};

/** By id, in the order in which they were made. */
export type Organisation = {
  id: string;
  name: string;
  administrator: string;
  plans: ReadonlyMap<string, Plan>;
  contacts: Map<string, Contact>;
  tags: Map<string, Tag>;
  payments: Map<string, Payment>;
};
