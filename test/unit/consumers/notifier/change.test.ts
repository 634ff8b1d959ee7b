import { describe, expect, it } from 'vitest';
import { isHistorical, toChange } from '../../../../functions/consumers/notifier/change.ts';
import { ADA, aNotice, anEvent } from './events.ts';

describe('a change', () => {
  it('tells what, who and when, and nothing else of the entry', () => {
    const event = anEvent({}, { data: { memberName: 'Ada Lovelace', email: 'ada@example.org', iban: 'GB00' } });

    expect(toChange(event)).toEqual({
      id: 'event-1',
      what: 'Member changed',
      action: 'ContactCreated',
      member: { id: ADA, name: 'Ada Lovelace' },
      at: Date.parse('2026-11-21T07:03:00Z'),
      isNotice: false,
    });
  });

  it.each([
    ['beside the entry', { memberName: 'Ada' }, 'Ada'],
    ['in an object of the member', { member: { fullName: 'Ada' } }, 'Ada'],
    ['nowhere', { userName: 'The admin' }, null],
    ['as a blank', { memberName: ' ' }, null],
    ['as a list', { memberName: ['Ada'] }, null],
  ])('finds the name %s', (_where, data, name) => {
    expect(toChange(anEvent({}, { data })).member).toEqual({ id: ADA, name });
  });

  it('takes the name from where the settings say, and from nowhere else', () => {
    const data = { memberName: 'Ada', subject: { title: 'Countess' } };

    expect(toChange(anEvent({}, { data }), { nameField: '/subject/title' }).member?.name).toBe('Countess');
    expect(toChange(anEvent({}, { data }), { nameField: '/subject/name' }).member?.name).toBeNull();
  });

  it('is about nobody where the entry names nobody', () => {
    expect(toChange(anEvent({ organisationMembershipId: null }, { data: {} })).member).toBeNull();
  });

  it('is told at the time it was seen where it has no time of its own', () => {
    expect(toChange(anEvent({ occurredAt: null })).at).toBe(Date.parse('2026-11-21T07:03:30Z'));
  });

  it('says of an entry that was too large what is known without it', () => {
    expect(toChange(anEvent({ oversize: { bytes: 2, limitBytes: 1 } }, { data: null })).member).toEqual({
      id: ADA,
      name: null,
    });
  });

  it('is a sentence of our own where the bridge speaks of itself', () => {
    expect(toChange(aNotice())).toMatchObject({
      what: 'Some changes could not be read (source acme)',
      member: null,
      isNotice: true,
    });
  });
});

describe('what is old (D16)', () => {
  it.each([
    ['a replay of the archive', anEvent({}, { replay: 'again' }), true],
    ['a backfill', anEvent({ backfillId: 'start' }), true],
    ['a change of now', anEvent(), false],
    ['a late change', anEvent({ late: true }), false],
    ['a notice', aNotice(), false],
  ])('%s: %s', (_what, event, old) => {
    expect(isHistorical(event)).toBe(old);
  });
});
