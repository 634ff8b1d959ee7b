// What changes an organisation, by a request or by its people's activity; each change leaves its trace in the action log.
// The action keys are invented: the interface document shows none.
import type { Change } from '../action-log/entries.ts';
import type { Contact, Debt, Donation, Organisation, Payment, Tag, Writable } from './organisation.ts';
import { stampText } from '../action-log/stamps.ts';
import type { State } from '../journal/state.ts';

export type NewContact = Pick<Contact, 'name' | 'email' | 'phone'>;
export type NewPayment = Omit<Payment, 'id' | 'paidOn'> & { paidOn?: string | null };

/** Where a change is made and by whom. Default: the organisation that the service is about, by its administrator. */
export type Hand = { organisation: Organisation; performedBy: string };

/** What money is written about: one collection each, one kind of entry each. */
export type Book = { payments: Payment; debts: Debt; donations: Donation };

const NOUNS = { payments: 'payment', debts: 'debt', donations: 'donation' } as const;

export function createContact(
  state: State,
  { name, email, phone }: NewContact,
  hand = administratorOf(state),
): Contact {
  const contact: Contact = {
    id: state.newId('contact'),
    organisationMembershipId: state.newId('membership'),
    name,
    email,
    phone,
    planId: null,
    createdOn: stampNow(state),
  };
  const change = { actionKey: 'ContactCreated', member: contact, details: { contactId: contact.id, email } };
  write(state, hand, [change], { collection: 'contacts', id: contact.id, value: contact });
  return contact;
}

export function createTag(state: State, name: string, hand = administratorOf(state)): Tag {
  return writeTag(state, hand, 'TagCreated', { id: state.newId('tag'), name, memberIds: [] });
}

export function renameTag(state: State, tag: Tag, name: string, hand = administratorOf(state)): Tag {
  return writeTag(state, hand, 'TagUpdated', { ...tag, name });
}

export function deleteTag(state: State, tag: Tag, hand = administratorOf(state)): void {
  const change = { actionKey: 'TagDeleted', member: null, details: { tagId: tag.id, tag: tag.name } };
  write(state, hand, [change], { collection: 'tags', id: tag.id, value: null });
}

/** Adds members to a tag or removes them; one entry per member, also for one who was there before. */
export function changeTagMembers(
  state: State,
  tag: Tag,
  members: readonly Contact[],
  what: 'add' | 'remove',
  hand = administratorOf(state),
): Tag {
  const others = new Set(tag.memberIds).difference(new Set(members.map(({ id }) => id)));
  const changed: Tag = {
    ...tag,
    memberIds: what === 'remove' ? [...others] : [...others, ...members.map(({ id }) => id)],
  };
  const actionKey = what === 'add' ? 'TagMemberAdded' : 'TagMemberRemoved';
  const details = { tagId: tag.id, tag: tag.name };
  const changes = members.map((member) => ({ actionKey, member, details }));
  write(state, hand, changes, { collection: 'tags', id: tag.id, value: changed });
  return changed;
}

export function createPayment(
  state: State,
  { paidOn, ...payment }: NewPayment,
  hand = administratorOf(state),
): Payment {
  const made = { ...payment, id: state.newId('payment'), paidOn: paidOn ?? stampNow(state) };
  return writeBook(state, hand, { collection: 'payments', what: 'Created', value: made });
}

/** Writes a debt, a donation or a payment, new or anew, or removes it. */
export function writeBook<Collection extends keyof Book>(
  state: State,
  hand: Hand,
  {
    collection,
    what,
    value,
  }: { collection: Collection; what: 'Created' | 'Updated' | 'Deleted'; value: Book[Collection] },
): Book[Collection] {
  const { id, contactId, amount, currency } = value;
  const noun = NOUNS[collection];
  const actionKey = `${noun.charAt(0).toUpperCase()}${noun.slice(1)}${what}`;
  const member = hand.organisation.contacts.get(contactId ?? '') ?? null;
  const change = { actionKey, member, details: { [`${noun}Id`]: id, amount, currency } };
  // The compiler does not follow that value and collection belong together.
  write(state, hand, [change], { collection, id, value: what === 'Deleted' ? null : value } as Thing);
  return value;
}

/** This moment as records show it. */
export function stampNow(state: State): string {
  return stampText(state.now() * 1000, { form: 'offset', fractionDigits: 0 }, state.zone);
}

function writeTag(state: State, hand: Hand, actionKey: string, tag: Tag): Tag {
  const change = { actionKey, member: null, details: { tagId: tag.id, tag: tag.name } };
  write(state, hand, [change], { collection: 'tags', id: tag.id, value: tag });
  return tag;
}

/** A thing of a collection as it is from now on. */
type Thing = {
  [Each in keyof Writable]: { collection: Each; id: string; value: Writable[Each] | null };
}[keyof Writable];

function write(
  state: State,
  { organisation, performedBy }: Hand,
  changes: readonly Omit<Change, 'performedBy'>[],
  thing: Thing,
): void {
  const organisationId = organisation.id;
  state.commit(
    changes.map((change) => ({ ...change, performedBy, organisationId })),
    { records: [{ kind: 'record', organisationId, ...thing }] },
  );
}

/** Who changes things where nobody else is named. */
export function administratorOf({ organisation }: State): Hand {
  return { organisation, performedBy: organisation.administrator };
}
