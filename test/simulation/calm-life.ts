// The life of a calm world. What befalls it holds for whole runs, runs come one at a time, and no time passes within
// one but what it sleeps: so nothing depends on how many calls a run makes, or in which order those end that are under
// way at the same time.
import type { Personality } from '../../infra/membership-service/personality/personality.ts';
import { longFieldNames, shortFieldNames } from '../../infra/membership-service/personality/personalities.ts';
import type { Chance } from './chance.ts';
import {
  busyHour,
  forbidden,
  HOUR_MS,
  limited,
  MINUTE_MS,
  off,
  passwordChanged,
  serviceDown,
  tokensRevoked,
  type Episode,
  type Way,
} from './life.ts';
import { drawMaximum } from './service/hostile.ts';
import { stillWeather } from './weather.ts';
import type { World } from './world.ts';

/** A run of so much time is over once it has begun: it reads one page. */
const SHORT_RUN_MS = 3_000;

async function tickCalmly(world: World, chance: Chance): Promise<void> {
  const { time } = world;
  const begun = time.now();
  const pauseMs = chance.pick([1, 1, 1, 1, 5, 20]) * MINUTE_MS + chance.between(-400, 400);
  const remainingMs = chance.happens(0.15) ? { remainingMs: SHORT_RUN_MS } : {};
  await world.tick({ freshProcess: chance.happens(0.05), ...remainingMs });
  time.pass(pauseMs - (time.now() - begun));
  world.service.people.catchUp(time.now());
}

/** Hundreds of entries within seconds, or within one. */
const imported: Episode = ({ service: { people } }, chance) => {
  people.burst({ everyMs: chance.pick([0.02, 0.1, 5, 60, 400]), entries: chance.between(30, 400) });
};

/** Longer than the ledger remembers. */
const offForWeeks: Episode = ({ time, service }) => {
  service.people.setPace(8 * HOUR_MS);
  time.pass(16 * 24 * HOUR_MS);
  service.people.catchUp(time.now());
  service.people.setPace(MINUTE_MS);
};

const otherPages: Episode = ({ service }, chance) => {
  const maximum = drawMaximum(chance);
  service.become({ pages: { ...service.personality.pages, maximum, default: maximum } });
};

const otherSettings: Episode = (world, chance) => {
  const { personality, state } = world.service;
  const { id, time } = personality.fieldNames;
  const [member] = state.organisation.contacts.values();
  const change = chance.pick([
    { pageSize: chance.pick([20, 80, 200]) },
    { actionKeys: chance.pick(['ContactUpdated', 'ContactUpdated,PaymentCreated', null]) },
    { organisationMembershipId: member?.organisationMembershipId ?? null },
    { fields: { ...world.settings.fields, id: `/${id}`, occurredAt: `/${time}` } },
    { fields: { ...world.settings.fields, continuation: '/requestContinuation' } },
    { baseUrl: 'https://other.membership.example' },
  ]);
  const before = world.settings;
  world.settings = { ...before, ...change };
  return () => {
    world.settings = before;
  };
};

/** No page that shows the newest entry is given. */
const brokenPage: Episode = ({ service }) => {
  service.failWhereShown(service.state.entries().at(-1)?.json ?? null);
  return () => service.failWhereShown(null);
};

/** The newest entries are written over: they keep their ids. */
const edited: Episode = ({ service: { state } }) => {
  for (const entry of state.entries().slice(-5)) entry.json = entry.json.replace(/"n":\d+/, '"n":0');
};

/** Another version of the service. */
const otherService: Episode = ({ service }, chance) => {
  service.become(chance.pick(CHANGES)(service.personality, chance));
};

const CHANGES: readonly ((now: Personality, chance: Chance) => Partial<Personality>)[] = [
  ({ continuation }) => ({
    continuation: { ...continuation, place: { in: 'body', name: otherName(continuation.place.name) } },
  }),
  ({ continuation }) => ({ continuation: { ...continuation, atEnd: 'kept' } }),
  ({ continuation }) => ({ continuation: { ...continuation, atEnd: 'kept' } }),
  ({ filters }) => ({ filters: { ...filters, startInclusive: !filters.startInclusive } }),
  ({ filters }) => ({ filters: { ...filters, endInclusive: !filters.endInclusive } }),
  ({ filters }) => ({ filters: { ...filters, ignoresStart: !filters.ignoresStart } }),
  ({ filters }) => ({ filters: { ...filters, zone: 'rejectsOffset' } }),
  ({ stamps }, chance) => ({ stamps: { ...stamps, form: chance.pick(['utc', 'offset', 'wall']) } }),
  ({ fieldNames }) => ({ fieldNames: fieldNames.id === longFieldNames.id ? shortFieldNames : longFieldNames }),
];

function otherName(name: string): string {
  return name === 'nextContinuation' ? 'requestContinuation' : 'nextContinuation';
}

const EPISODES: readonly Episode[] = [
  imported,
  imported,
  imported,
  imported,
  imported,
  imported,
  busyHour,
  busyHour,
  off,
  offForWeeks,
  otherPages,
  otherSettings,
  otherSettings,
  otherService,
  otherService,
  otherService,
  brokenPage,
  brokenPage,
  edited,
  serviceDown,
  forbidden,
  limited,
  passwordChanged,
  tokensRevoked,
];

export const CALM: Way = {
  weather: stillWeather,
  episodes: () => EPISODES,
  begins: 0.15,
  ends: 0.15,
  tick: tickCalmly,
  maxShownBytes: 1_500_000,
  lastImports: 0,
};
