// The initial organisations. The same seed gives the same people, plans and tags.
import { byId, type Contact, type Organisation, type Plan, type Tag } from './organisation.ts';
import { createRandom, pick, uuidFrom, type Random } from '../random.ts';
import { seedBooks } from './seeded-books.ts';
import { seedCommunity } from './seeded-community.ts';

const FIRST_NAMES = (
  'Ada Ayşe Björn Chidi Chloë Daan Đorđe Eilidh Fatma Françoise Giulia Hans-Jürgen İbrahim Jörg Kwame Leïla Łukasz Mei Niamh Noor Özlem ' +
  'Paweł Renée Siobhán Søren Tomás Þóra Ümit Věra Wim Ximena Yūki Zoë Žofia Иван Ελένη 明'
).split(' ');
const LAST_NAMES = (
  "Åkerlund, Bakker, Çelik, de Vries, Dvořák, Ó Briain, O'Neill, Fernández, García-Peña, Groß, Hansen, Ibáñez, Jensen, Kowalczyk, Lefèvre, " +
  'Müller-Lüdenscheidt, Nguyễn, Nowak, Öztürk, Papadopoulos, Quintero, Rossi, Şahin, Sørensen, Tanaka, van den Berg, Wójcik, Yılmaz, Zając, ' +
  'Петров, 王, Smith'
).split(', ');
const PLANS: readonly [name: string, fee: number][] = [
  ['Student', 20],
  ['Regular', 60],
  ['Family', 95],
  ['Supporter', 250],
];
const TAGS = ['Board', 'Volunteers', 'Newsletter', 'Çalışma grubu', 'Alumni 2019'];

type Kind = Pick<Organisation, 'name' | 'subscription' | 'contactLimit'> & { members: number };

const PREMIUM: Kind = { name: 'Vereniging De Brug', subscription: 'Premium', contactLimit: null, members: 60 };
/** Nearly full, so that its limit is soon reached. */
const FREE: Kind = { name: 'Stichting Proeftuin', subscription: 'Free', contactLimit: 100, members: 97 };

type Organisations = Record<'seeded' | 'free', Organisation>;

/** Tests start thousands of services with the same few seeds. */
const MAX_SEEDS = 8;
const known = new Map<number, Organisations>();

/** `seeded` is the main organisation, `free` a small one on the free plan. The caller owns the collections. */
export function createSeededOrganisations(seed: number): Organisations {
  const { seeded, free } = known.get(seed) ?? {
    seeded: createOrganisation(`${seed}`, PREMIUM),
    free: createOrganisation(`${seed}/free`, FREE),
  };
  known.set(seed, { seeded, free });
  const [oldest] = known.keys();
  if (known.size > MAX_SEEDS && oldest !== undefined) known.delete(oldest);
  return { seeded: copyOf(seeded), free: copyOf(free) };
}

/** The values are never changed, only replaced. */
function copyOf({ contacts, tags, payments, debts, donations, ...rest }: Organisation): Organisation {
  return {
    ...rest,
    contacts: new Map(contacts),
    tags: new Map(tags),
    payments: new Map(payments),
    debts: new Map(debts),
    donations: new Map(donations),
  };
}

/** Everything is derived from the text of the seed. */
function createOrganisation(seed: string, { members, ...kind }: Kind): Organisation {
  const random = createRandom(`${seed}/organisation`);
  const plans = PLANS.map(([name, fee]) => toPlan(seed, name, fee));
  const contacts = Array.from({ length: members }, (_, at) => toContact(random, seed, at + 1, plans));
  const tags = TAGS.map((name) => toTag(random, seed, name, contacts));
  const administrator = drawName(random);
  return {
    ...kind,
    id: uuidFrom(`${seed}/organisation`),
    administrator,
    language: 'nl',
    currency: 'EUR',
    plans: byId(plans),
    contacts: byId(contacts),
    tags: byId(tags),
    ...seedBooks(seed, contacts, plans),
    ...seedCommunity(seed, plans, drawName),
  };
}

/** A first and a last name, not only in Latin letters. */
export function drawName(random: Random): string {
  return `${pick(random, FIRST_NAMES)} ${pick(random, LAST_NAMES)}`;
}

function toPlan(seed: string, name: string, fee: number): Plan {
  return { id: uuidFrom(`${seed}/plan/${name}`), name, fee, currency: 'EUR', months: 12 };
}

function toContact(random: Random, seed: string, number: number, plans: readonly Plan[]): Contact {
  return {
    id: uuidFrom(`${seed}/contact/${number}`),
    organisationMembershipId: uuidFrom(`${seed}/membership/${number}`),
    name: drawName(random),
    email: `member${number}@example.org`,
    phone: random() < 0.7 ? `+31 20 555 01${String(number % 100).padStart(2, '0')}` : null,
    planId: pick(random, plans).id,
    createdOn: '2019-09-01T09:00:00',
  };
}

function toTag(random: Random, seed: string, name: string, contacts: readonly Contact[]): Tag {
  const memberIds = contacts.filter(() => random() < 0.2).map(({ id }) => id);
  return { id: uuidFrom(`${seed}/tag/${name}`), name, memberIds };
}
