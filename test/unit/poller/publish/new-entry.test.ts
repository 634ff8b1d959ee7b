import { describe, expect, it } from 'vitest';
import { identifyPage, type IdentifiedEntry } from '../../../../functions/poller/identity/identify.ts';
import { byTime, isBaseline, toNewEntry } from '../../../../functions/poller/publish/new-entry.ts';
import type { SourceState, SweepLevel } from '../../../../functions/source/state.ts';
import { DAY, entriesOf, HOUR, NOW, settingsOf, stateOf } from '../builders.ts';

const fields = { sourceId: 'acme', idField: '/id', refutedIdField: null, timeField: '/at', timeZone: 'UTC' };
const pageOf = (text: string): IdentifiedEntry[] => identifyPage(entriesOf(text), fields);
const namesOf = (entries: readonly IdentifiedEntry[]) => entries.map(({ entry }) => entry['name']);

describe('new entries', () => {
  it('are published by time, those without a stamp last', () => {
    expect(namesOf(byTime(pageOf('c@-1 n@- a@-3 b@-2')))).toEqual(['a', 'b', 'c', 'n']);
  });

  it('are late where they are before what recent sweeps have read (S03)', () => {
    const context = { state: stateOf(), settings: settingsOf() };

    const late = pageOf('a@-181 b@-180 n@-').map((entry) => toNewEntry(entry, 'recent', context).late);

    expect(late).toEqual([true, false, false]);
  });

  it.each<[SweepLevel, boolean, (string | null)[]]>([
    ['recent', true, ['start', null, null]],
    ['past', true, ['start', null, 'start']],
    ['past', false, ['start', null, 'start']],
    ['recent', false, [null, null, null]],
  ])(
    'of a %s sweep, the past still deferred: %s, are backfill from before the first run, and never late then',
    (level, isDeferred, backfillIds) => {
      const state = stateOf({ deferredLevels: isDeferred ? ['past'] : [], firstRunAt: NOW - HOUR });
      const context = { state, settings: settingsOf() };

      const entries = pageOf('a@-7200 b@-3600 n@-').map((entry) => toNewEntry(entry, level, context));

      const isPast = isDeferred || level === 'past';
      expect(entries.map(({ backfillId }) => backfillId)).toEqual(backfillIds);
      expect(entries.map(({ late }) => late)).toEqual([!isPast, !isPast, false]);
    },
  );
});

describe('the baseline of a first run', () => {
  it.each<[string, Partial<SourceState>, string[]]>([
    ['is what was stamped before it, and what has no stamp while it is read (S53)', { baselineOpen: true }, ['a', 'n']],
    ['is closed afterwards for entries without a stamp', {}, ['a']],
    ['is empty where everything is to be published', { publishFrom: null, baselineOpen: true }, []],
    ['has no entry without a stamp after a day', { baselineOpen: true, firstRunAt: NOW - DAY }, ['a']],
    ['still has one shortly before', { baselineOpen: true, firstRunAt: NOW - DAY + 1 }, ['a', 'n']],
  ])('%s', (_name, more, names) => {
    const state = stateOf({ publishFrom: NOW, ...more });

    expect(namesOf(pageOf('a@-1 b n@-').filter((entry) => isBaseline(entry, state, NOW)))).toEqual(names);
  });

  it('takes the later instant of a wall time that occurs twice (S24)', () => {
    const times = ['2026-10-25T02:30:00', '2026-10-25T02:10:00'];
    const entries = identifyPage(
      times.map((at) => ({ at })),
      { ...fields, timeZone: 'Europe/Amsterdam' },
    );
    const state = stateOf({ publishFrom: Date.parse('2026-10-25T01:15:00Z') });

    expect(entries.map((entry) => isBaseline(entry, state, NOW))).toEqual([false, true]);
  });
});
