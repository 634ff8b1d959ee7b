// Actions of people that change the organisation: they write contacts, payments, debts, donations and tags.
import type { LoggedEntry } from '../action-log/entries.ts';
import { changeOf, drawActionKey, drawChange, type ActionKey } from './actions.ts';
import type { Contact } from '../organisation/organisation.ts';
import {
  administratorOf,
  changeTagMembers,
  createContact,
  createPayment,
  createTag,
  stampNow,
  writeBook,
} from '../changes/organisation-changes.ts';
import { pick, wholeNumber, type Random } from '../random.ts';
import { drawName } from '../organisation/seeded-organisation.ts';
import type { Step } from './sessions.ts';
import type { State } from '../journal/state.ts';

/** One action outside a session, with one entry. */
export function actOnce(state: State, random: Random): void {
  const actionKey = drawActionKey(random);
  const people = [...state.organisation.contacts.values()];
  act(state, random, { actionKey, members: [pick(random, people)] });
}

/** One step of a session. A step about several members changes them together, with one entry each. */
export function act(state: State, random: Random, { actionKey, members }: Pick<Step, 'actionKey' | 'members'>): void {
  const { organisation } = state;
  const people = members.length > 0 ? members : [...organisation.contacts.values()];
  const write = WRITES[actionKey];
  // An action without a record appears only in the log.
  if (write === undefined) state.commit([drawChange(random, actionKey, { people, organisation })]);
  else write(state, random, people);
}

/** Somebody does what is asked for, and the log has one entry of it, never twice. No record changes. */
export function perform(state: State, random: Random, actionKey: string): LoggedEntry {
  const { organisation } = state;
  const change = changeOf(random, actionKey, { people: [...organisation.contacts.values()], organisation });
  const [entry] = state.commit([change], { duplicates: false });
  if (!entry) throw new Error('The entry was not written.');
  return entry;
}

/** The actions that write more than an entry. */
const WRITES: Partial<Record<ActionKey, (state: State, random: Random, people: readonly Contact[]) => void>> = {
  ContactCreated: (state, random) => {
    const email = `member${state.organisation.contacts.size + 1}@example.org`;
    createContact(state, { name: drawName(random), email, phone: null });
  },
  PaymentCreated: (state, random, people) => {
    createPayment(state, { ...drawMoney(random), contactId: pick(random, people).id, description: null });
  },
  DebtCreated: (state, random, people) => {
    const debt = { ...drawMoney(random), contactId: pick(random, people).id, description: null };
    const value = { ...debt, id: state.newId('debt'), dueOn: null, isPaid: false };
    writeBook(state, administratorOf(state), { collection: 'debts', what: 'Created', value });
  },
  DonationCreated: (state, random, people) => {
    const donor = pick(random, people);
    const donation = { ...drawMoney(random), contactId: donor.id, campaign: null, donatedOn: stampNow(state) };
    const author = { ...administratorOf(state), performedBy: donor.name };
    writeBook(state, author, {
      collection: 'donations',
      what: 'Created',
      value: { ...donation, id: state.newId('donation') },
    });
  },
  TagMemberAdded: (state, random, people) => changeTag(state, random, people, 'add'),
  TagMemberRemoved: (state, random, people) => changeTag(state, random, people, 'remove'),
};

/** All tags may have been removed. */
function changeTag(state: State, random: Random, people: readonly Contact[], what: 'add' | 'remove'): void {
  const tags = [...state.organisation.tags.values()];
  const tag = tags.length > 0 ? pick(random, tags) : createTag(state, 'Newsletter');
  changeTagMembers(state, tag, people, what);
}

function drawMoney(random: Random): { amount: number; currency: string } {
  return { amount: wholeNumber(random, 2, 50) * 5, currency: 'EUR' };
}
