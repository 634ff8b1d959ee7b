import { describe, expect, test } from 'vitest';
import type { LearnedFacts } from '../../../../../functions/source/state.ts';
import { actionKeyLines, factLines } from '../../../../../infra/local/terminal/learned.ts';

const event = (actionKey: string | null, detailType: string) => ({
  source: 'membership.actionlog',
  detailType,
  detail: { metadata: { actionKey } },
});

describe('what was learned', () => {
  test('is listed fact by fact', () => {
    const learned = {
      continuation: '/requestContinuation',
      idField: null,
      ignoresStart: false,
      pageSize: { asked: 100, taken: 50 },
    };

    expect(factLines(learned as unknown as LearnedFacts)).toEqual([
      'Learned of the service:',
      '  continuation                 /requestContinuation',
      '  id field                     not learned',
      '  ignores start                no',
      '  page size                    {"asked":100,"taken":50}',
    ]);
  });

  test('counts the action keys with their detail types, and names those without a type of their own', () => {
    const events = [
      event('VaultOpened', 'OtherActionLogged'),
      event('ContactCreated', 'MemberChanged'),
      event('ContactCreated', 'MemberChanged'),
      event(null, 'OtherActionLogged'),
      { ...event('GapDetected', 'GapDetected'), source: 'membership.bridge' },
    ];

    expect(actionKeyLines(events)).toEqual([
      'Action keys:',
      `        2  ${'ContactCreated'.padEnd(36)} MemberChanged`,
      `        1  ${'VaultOpened'.padEnd(36)} OtherActionLogged`,
      `        1  ${'(none)'.padEnd(36)} OtherActionLogged`,
      'Fell through to OtherActionLogged: VaultOpened, (none). The setting "detailTypes" can name a type for them.',
    ]);
  });

  test('says so when there was nothing to learn from', () => {
    expect(actionKeyLines([])).toEqual(['Action keys: no event was published, so none was seen.']);
    expect(actionKeyLines([event('ContactCreated', 'MemberChanged')]).at(-1)).toBe(
      'None fell through to OtherActionLogged.',
    );
  });
});
