import { describe, expect, it } from 'vitest';
import { reportFilterChange } from '../../../../functions/poller/shell/reports.ts';
import { fakeLog } from '../builders.ts';

describe('a change of the filters (S08)', () => {
  const before = { baseUrl: 'https://api.example.org', actionKeys: 'A', organisationMembershipId: null };
  const after = { ...before, actionKeys: null };

  it.each([
    ['baseUrl', 'what was learned about the old one is dropped'],
    ['filters', 'walks begin again'],
    ['widerFilters', 'let more through'],
  ] as const)('is logged once, with what it means: %s', (kind, meaning) => {
    const log = fakeLog();

    reportFilterChange(log, { kind, before, after });

    const message: unknown = expect.stringContaining(meaning);
    expect(log.lines).toEqual([{ level: 'warn', message, fields: { before, after } }]);
  });

  it('is not logged where there is none', () => {
    const log = fakeLog();

    reportFilterChange(log, null);

    expect(log.lines).toEqual([]);
  });
});
