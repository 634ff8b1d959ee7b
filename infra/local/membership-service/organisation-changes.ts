// What changes the organisation, by a request or by its people's activity; each change leaves its trace in the action log.
// The action keys are invented: the interface document shows none.
import type { Contact, Payment, Tag } from './organisation.ts';
import { stampText } from './stamps.ts';
import type { State } from './state.ts';

export type NewContact = Pick<Contact, 'name' | 'email' | 'phone'>;
export type NewPayment = Pick<Payment, 'contactId' | 'amount' | 'currency' | 'description'>;

export function createContact(state: State, { name, email, phone }: NewContact): Contact {
  const contact: Contact = {
    id: state.newId('contact'),
    organisationMembershipId: state.newId('membership'),
    name,
    email,
    phone,
    planId: null,
    createdOn: today(state),
  };
  const change = {
    ...by(state),
    actionKey: 'ContactCreated',
    member: contact,
    details: { contactId: contact.id, email },
  };
  state.commit([change], { records: [{ kind: 'contact', contact }] });
  return contact;
}

export function createTag(state: State, name: string): Tag {
  const tag: Tag = { id: state.newId('tag'), name, memberIds: [] };
  const change = { ...by(state), actionKey: 'TagCreated', member: null, details: { tagId: tag.id, tag: name } };
  state.commit([change], { records: [{ kind: 'tag', tag }] });
  return tag;
}

/** Adds members to a tag or removes them; one entry per member, also for one who was there before. */
export function changeTagMembers(state: State, tag: Tag, members: readonly Contact[], what: 'add' | 'remove'): Tag {
  const others = new Set(tag.memberIds).difference(new Set(members.map(({ id }) => id)));
  const changed: Tag = {
    ...tag,
    memberIds: what === 'remove' ? [...others] : [...others, ...members.map(({ id }) => id)],
  };
  const actionKey = what === 'add' ? 'TagMemberAdded' : 'TagMemberRemoved';
  const details = { tagId: tag.id, tag: tag.name };
  const changes = members.map((member) => ({ ...by(state), actionKey, member, details }));
  state.commit(changes, { records: [{ kind: 'tag', tag: changed }] });
  return changed;
}

export function createPayment(state: State, { contactId, amount, currency, description }: NewPayment): Payment {
  const payment: Payment = {
    id: state.newId('payment'),
    contactId,
    amount,
    currency,
    description,
    paidOn: today(state),
  };
  const member = state.organisation.contacts.get(contactId) ?? null;
  const details = { paymentId: payment.id, amount, currency };
  const change = { ...by(state), actionKey: 'PaymentCreated', member, details };
  state.commit([change], { records: [{ kind: 'payment', payment }] });
  return payment;
}

function by({ organisation }: State): { performedBy: string } {
  return { performedBy: organisation.administrator };
}

function today(state: State): string {
  return stampText(state.now() * 1000, { form: 'offset', fractionDigits: 0 }, state.zone);
}
