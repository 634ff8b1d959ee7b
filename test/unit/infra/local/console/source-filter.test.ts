import { expect, test } from 'vitest';
import { countsOf, filtered } from '../../../../../infra/local/console/pages/source-filter.ts';
import type { SourceStatus } from '../../../../../infra/local/console/messages.ts';

const source = (sourceId: string, verdict: SourceStatus['verdict'], problems: string[] = []): SourceStatus =>
  ({ sourceId, verdict, problems }) as unknown as SourceStatus;

const SOURCES = [
  source('club-b', 'not fine', ['4 runs in a row have failed: ServiceUnavailable.']),
  source('club-c', 'not known'),
  source('club-a', 'fine'),
  source('choir', 'fine'),
];
const idsOf = (text: string, verdict: SourceStatus['verdict'] | 'all' = 'all'): string[] =>
  filtered(SOURCES, { text, verdict }).map(({ sourceId }) => sourceId);

test('finds the words of a search in names and reasons, in any case, and keeps the order', () => {
  expect(idsOf('')).toEqual(['club-b', 'club-c', 'club-a', 'choir']);
  expect(idsOf('  CLUB ')).toEqual(['club-b', 'club-c', 'club-a']);
  expect(idsOf('club unavailable')).toEqual(['club-b']);
  expect(idsOf('choir unavailable')).toEqual([]);
});

test('shows those of one state', () => {
  expect(idsOf('', 'fine')).toEqual(['club-a', 'choir']);
  expect(idsOf('c', 'not known')).toEqual(['club-c']);
});

test('counts the sources of each state', () => {
  expect(countsOf(SOURCES)).toEqual([
    ['not fine', 1],
    ['not known', 1],
    ['fine', 2],
  ]);
});
