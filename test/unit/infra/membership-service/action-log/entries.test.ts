import { describe, expect, it } from 'vitest';
import { writeHistory, actOnce } from '../../../../../infra/membership-service/activity/activity.ts';
import { noJournal } from '../../../../../infra/membership-service/journal/journal.ts';
import {
  personalities,
  PERSONALITY_NAMES,
  shortFieldNames,
} from '../../../../../infra/membership-service/personality/personalities.ts';
import { checkPersonality, type Personality } from '../../../../../infra/membership-service/personality/personality.ts';
import { createRandom } from '../../../../../infra/membership-service/random.ts';
import { createState, type State } from '../../../../../infra/membership-service/journal/state.ts';
import { logOf, NOON, personalityWith, type Knobs } from './a-log.ts';

const stateOf = (personality: Personality, seed = 7): State =>
  createState({ seed, personality, journal: noJournal, clock: () => NOON });

const textOf = (knobs: Knobs): string => {
  const log = logOf(knobs);
  log.writeAt(0, 'ContactCreated');
  return log.state.log.written[0]?.json ?? '';
};

describe('an entry', () => {
  it("has its personality's field names", () => {
    const fields = 'id createdOn actionKey organisationId organisationMembershipId memberName performedBy details';

    expect(Object.keys(JSON.parse(textOf({})) as object).join(' ')).toBe(fields);
    expect(Object.keys(JSON.parse(textOf({ fieldNames: shortFieldNames })) as object)).toContain('timestampUnix');
  });

  it('has no id in a service without ids', () => {
    expect(Object.keys(JSON.parse(textOf({ ids: 'none' })) as object)).not.toContain('id');
  });

  it('has an id beyond 2^53 in raw digits, different from its neighbours', () => {
    const log = logOf({ ids: 'numericBeyond2to53' });
    for (let second = 0; second < 50; second += 1) log.writeAt(second);

    const ids = log.state.log.written.map(({ json }) => /^\{"id":(\d+),/u.exec(json)?.[1] ?? '');

    expect(ids.every((id) => BigInt(id) > 2n ** 53n)).toBe(true);
    expect(new Set(ids).size).toBe(50);
    expect(new Set(ids.map(Number)).size).toBeLessThan(50);
  });

  it("is stamped by the service's clock, which may be wrong", () => {
    expect(textOf({ clockSkewMs: 300_000 })).toContain('"2026-06-15T14:05:00.000+02:00"');
  });

  it('may be written twice, letter for letter, if there are duplicates and no ids', () => {
    const log = logOf({ ids: 'none', duplicates: { share: 1 } });
    log.writeAt(0);

    const [one, other] = log.state.log.written;

    expect(other?.json).toBe(one?.json);
    expect(other?.serial).toBe(2);
  });

  it('is written once if it has an id, at any share of duplicates', () => {
    const log = logOf({ duplicates: { share: 1 } });
    log.writeAt(0);

    expect(log.state.log.written).toHaveLength(1);
  });
});

describe('the organisation and its past', () => {
  it.each(PERSONALITY_NAMES)('are the same for the same seed and others for another, in %s', (name) => {
    const past = (seed: number): string => {
      const state = stateOf(personalities[name], seed);
      writeHistory(state, { entries: 50, days: 3 });
      return JSON.stringify([state.log.written, [...state.organisation.contacts.values()]]);
    };

    expect(past(1)).toBe(past(1));
    expect(past(1)).not.toBe(past(2));
  });

  it('have entries only within the requested days and before now, in order of time', () => {
    const state = stateOf(personalities.ordinary);

    writeHistory(state, { entries: 200, days: 2 });

    const instants = state.log.written.map(({ createdAt }) => createdAt);
    expect(instants).toHaveLength(200);
    expect(instants).toEqual(instants.toSorted((a, b) => a - b));
    expect(instants[0]).toBeGreaterThanOrEqual(NOON - 2 * 86_400_000 - 1);
    expect(instants.at(-1)).toBeLessThan(NOON);
  });

  it('have people whose names are not all in ASCII', () => {
    const names = [...stateOf(personalities.ordinary).organisation.contacts.values()].map(({ name }) => name);

    expect(names.some((name) => /[^ -~]/u.test(name))).toBe(true);
  });
});

describe('activity', () => {
  it('changes contacts, payments and tags, each with an entry', () => {
    const state = stateOf(personalities.ordinary);
    const random = createRandom('a busy day');
    const { contacts, payments } = state.organisation;
    const before = { contacts: contacts.size, payments: payments.size };

    for (let deed = 0; deed < 200; deed += 1) actOnce(state, random);

    const count = (actionKey: string): number =>
      state.log.written.filter((entry) => entry.actionKey === actionKey).length;
    expect(state.log.written).toHaveLength(200);
    expect(contacts.size).toBe(before.contacts + count('ContactCreated'));
    expect(payments.size).toBe(before.payments + count('PaymentCreated'));
    expect(count('ContactCreated') * count('PaymentCreated') * count('TagMemberAdded')).toBeGreaterThan(0);
  });
});

describe('checkPersonality', () => {
  it.each(PERSONALITY_NAMES)('accepts %s, which is plain data', (name) => {
    expect(() => checkPersonality(personalities[name])).not.toThrow();
    expect(JSON.parse(JSON.stringify(personalities[name]))).toEqual(personalities[name]);
  });

  it.each<[string, Knobs]>([
    ['continuation.lifetimeMs', { continuation: { kind: 'expiring' } }],
    ['continuation.alphabet', { continuation: { alphabet: '~' } }],
    ['stamps.fractionDigits', { stamps: { fractionDigits: 8 } }],
    ['pages.maximum', { pages: { maximum: 0 } }],
    ['pages.default', { pages: { default: 501 } }],
    ['pages.shortEvery', { pages: { shortEvery: 1 } }],
    ['pages.emptyEvery', { pages: { emptyEvery: 1 } }],
  ])('refuses %s by name, which would make the service stop', (name, knobs) => {
    expect(() => checkPersonality(personalityWith(knobs))).toThrow(name);
  });
});
