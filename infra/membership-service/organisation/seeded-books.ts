// The initial books of an organisation: fees of the year, paid in January by most and owed by some, and donations.
import {
  byId,
  type Contact,
  type Debt,
  type Donation,
  type Organisation,
  type Payment,
  type Plan,
} from './organisation.ts';
import { createRandom, pick, uuidFrom, wholeNumber, type Random } from '../random.ts';

const YEAR = 2026;
const PAID_SHARE = 0.8;
const DONORS_SHARE = 0.15;
const CAMPAIGNS = ['Roof of the club house', 'Youth fund', null];

type Books = Pick<Organisation, 'payments' | 'debts' | 'donations'>;

/** Who has paid the fee of the plan, who owes it, and who donated. */
export function seedBooks(seed: string, contacts: readonly Contact[], plans: readonly Plan[]): Books {
  const random = createRandom(`${seed}/books`);
  const fees = contacts.map((contact) => ({ contact, fee: feeOf(contact, plans), isPaid: random() < PAID_SHARE }));
  const donors = contacts.filter(() => random() < DONORS_SHARE);
  return {
    payments: byId(fees.filter(({ isPaid }) => isPaid).map((fee) => toPayment(random, fee))),
    debts: byId(fees.filter(({ isPaid }) => !isPaid).map((fee) => toDebt(random, fee))),
    donations: byId(donors.map((contact) => toDonation(random, contact))),
  };
}

type Fee = { contact: Contact; fee: Pick<Plan, 'fee' | 'currency' | 'name'> };

function feeOf({ planId }: Contact, plans: readonly Plan[]): Fee['fee'] {
  return plans.find(({ id }) => id === planId) ?? { fee: 60, currency: 'EUR', name: 'Regular' };
}

function toPayment(random: Random, { contact, fee }: Fee): Payment {
  return {
    id: uuidFrom(`${contact.id}/fee/payment`),
    contactId: contact.id,
    amount: fee.fee,
    currency: fee.currency,
    description: `Membership ${YEAR}, ${fee.name}`,
    paidOn: dayIn(random, 1),
  };
}

function toDebt(random: Random, { contact, fee }: Fee): Debt {
  return {
    id: uuidFrom(`${contact.id}/fee/debt`),
    contactId: contact.id,
    amount: fee.fee,
    currency: fee.currency,
    description: `Membership ${YEAR}, ${fee.name}`,
    dueOn: dayIn(random, 2),
    isPaid: false,
  };
}

function toDonation(random: Random, contact: Contact): Donation {
  return {
    id: uuidFrom(`${contact.id}/donation`),
    contactId: random() < 0.8 ? contact.id : null,
    amount: wholeNumber(random, 1, 40) * 5,
    currency: 'EUR',
    campaign: pick(random, CAMPAIGNS),
    donatedOn: dayIn(random, wholeNumber(random, 1, 12)),
  };
}

function dayIn(random: Random, month: number): string {
  const day = wholeNumber(random, 1, 28);
  return `${YEAR}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}T12:00:00`;
}
