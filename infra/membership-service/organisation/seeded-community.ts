// The initial applications, calendar events, boards and countries of an organisation.
import {
  byId,
  type Application,
  type Board,
  type CalendarEvent,
  type Country,
  type Organisation,
  type Plan,
} from './organisation.ts';
import { createRandom, pick, uuidFrom, wholeNumber, type Random } from '../random.ts';

const APPLICANTS = 34;
const STATUSES = ['waiting', 'waiting', 'approved', 'declined'];
const MOTIVATIONS = ['I have just moved here.', 'A friend told me.', 'Ich möchte mithelfen.', 'Je cherche un réseau.'];

const EVENTS: readonly [title: string, day: string, from: string, to: string, location: string, seats: number][] = [
  ['New year reception', '2026-01-09', '17:00', '20:00', 'Café De Brug', 120],
  ['Annual meeting', '2026-03-27', '19:30', '22:00', 'Town hall', 200],
  ['Volunteers’ day', '2026-05-16', '10:00', '16:00', 'Harbour', 60],
  ['Zomerborrel & fête d’été', '2026-07-03', '16:00', '21:00', 'Garden', 150],
  ['Workshop: writing a grant', '2026-09-22', '13:00', '17:00', 'Library, room 4', 16],
  ['Alumni dinner', '2026-11-20', '18:30', '23:00', 'Café De Brug', 80],
];

const BOARDS: readonly [name: string, description: string][] = [
  ['General', 'Everything that has no place of its own'],
  ['Jobs & internships', 'Offered and sought'],
  ['Activiteiten', 'Wie gaat er mee?'],
  ['Marketplace', 'Things that members give away or sell'],
];

const COUNTRIES = (
  'AT Austria, BE Belgium, BR Brazil, CA Canada, CH Switzerland, CI Côte d’Ivoire, DE Germany, DK Denmark, ES Spain, FR France, GB United Kingdom, GR Greece, ' +
  'IE Ireland, IS Iceland, IT Italy, JP Japan, NL Netherlands, PL Poland, PT Portugal, SE Sweden, TR Türkiye, US United States, VN Viet Nam'
).split(', ');

type Community = Pick<Organisation, 'applications' | 'events' | 'boards' | 'countries'>;

export function seedCommunity(seed: string, plans: readonly Plan[], drawName: (random: Random) => string): Community {
  const random = createRandom(`${seed}/community`);
  return {
    applications: byId(
      Array.from({ length: APPLICANTS }, (_, at) =>
        toApplication(random, `${seed}/application/${at + 1}`, plans, drawName),
      ),
    ),
    events: EVENTS.map(([title, day, from, to, location, seats]): CalendarEvent => {
      const id = uuidFrom(`${seed}/event/${title}`);
      return { id, title, startsOn: `${day}T${from}:00`, endsOn: `${day}T${to}:00`, location, seats };
    }),
    boards: BOARDS.map(([name, description]): Board => {
      return { id: uuidFrom(`${seed}/board/${name}`), name, description, posts: wholeNumber(random, 0, 90) };
    }),
    countries: COUNTRIES.map((text): Country => ({ code: text.slice(0, 2), name: text.slice(3) })),
  };
}

function toApplication(
  random: Random,
  seed: string,
  plans: readonly Plan[],
  drawName: (random: Random) => string,
): Application {
  return {
    id: uuidFrom(seed),
    name: drawName(random),
    email: `${seed.split('/').at(-1)}@applicants.example.org`,
    plan: pick(random, plans).name,
    status: pick(random, STATUSES),
    appliedOn: `2026-0${wholeNumber(random, 1, 9)}-1${wholeNumber(random, 0, 9)}`,
    motivation: pick(random, MOTIVATIONS),
  };
}
