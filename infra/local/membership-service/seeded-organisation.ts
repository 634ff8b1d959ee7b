// The organisation as it is before anything happens: the same people, plans and tags for the same seed.
import type { Contact, Organisation, Plan, Tag } from './organisation.ts';
import { createRandom, pick, uuidFrom, type Random } from './random.ts';

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
const MEMBERS = 60;

export function createSeededOrganisation(seed: number): Organisation {
  const random = createRandom(`${seed}/organisation`);
  const plans = PLANS.map(([name, fee]) => ({ id: uuidFrom(`${seed}/plan/${name}`), name, fee, currency: 'EUR' }));
  const contacts = Array.from({ length: MEMBERS }, (_, at) => toContact(random, seed, at + 1, plans));
  const tags = TAGS.map((name) => toTag(random, seed, name, contacts));
  return {
    id: uuidFrom(`${seed}/organisation`),
    name: 'Vereniging De Brug',
    administrator: drawName(random),
    plans: byId(plans),
    contacts: byId(contacts),
    tags: byId(tags),
    payments: new Map(),
  };
}

/** A first and a last name; not only in Latin letters. */
export function drawName(random: Random): string {
  return `${pick(random, FIRST_NAMES)} ${pick(random, LAST_NAMES)}`;
}

function toContact(random: Random, seed: number, number: number, plans: readonly Plan[]): Contact {
  return {
    id: uuidFrom(`${seed}/contact/${number}`),
    organisationMembershipId: uuidFrom(`${seed}/membership/${number}`),
    name: drawName(random),
    email: `member${number}@example.org`,
    phone: random() < 0.7 ? `+31 20 555 01${String(number % 100).padStart(2, '0')}` : null,
    planId: pick(random, plans).id,
    createdOn: '2019-09-01T09:00:00Z',
  };
}

function toTag(random: Random, seed: number, name: string, contacts: readonly Contact[]): Tag {
  const memberIds = contacts.filter(() => random() < 0.2).map(({ id }) => id);
  return { id: uuidFrom(`${seed}/tag/${name}`), name, memberIds };
}

function byId<T extends { id: string }>(items: readonly T[]): Map<string, T> {
  return new Map(items.map((item) => [item.id, item]));
}
