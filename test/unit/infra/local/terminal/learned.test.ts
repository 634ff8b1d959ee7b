import { describe, expect, test } from 'vitest';
import { emptyProfile } from '../../../../../functions/source/service-profile.ts';
import { actionKeyLines, factLines } from '../../../../../infra/local/terminal/learned.ts';

const event = (actionKey: string | null, detailType: string) => ({
  source: 'membership.actionlog',
  detailType,
  detail: { metadata: { actionKey } },
});

describe('what was learned', () => {
  test('is listed fact by fact', () => {
    const profile = emptyProfile();
    profile.continuation.place = '/requestContinuation';
    profile.pages.size = { requested: 100, accepted: 50 };

    const lines = factLines(profile);

    expect(lines[0]).toBe('Learned about the service:');
    expect(lines).toContain('  continuation: place              /requestContinuation');
    expect(lines).toContain('  fields: time                     not learned');
    expect(lines).toContain('  filters: ignores start           no');
    expect(lines).toContain('  pages: size                      {"requested":100,"accepted":50}');
  });

  test.each([
    [{ quarters: 0, count: 0 }, 'not learned'],
    [{ quarters: 0, count: 2, sweepId: 'a' }, 'none'],
    [{ quarters: -36, count: 3 }, '540 minutes behind'],
    [{ quarters: 23, count: 1 }, '345 minutes ahead'],
  ])('says a shift of the zone in words: %j', (zoneShift, text) => {
    const profile = emptyProfile();

    const lines = factLines({ ...profile, stamps: { ...profile.stamps, zoneShift } });

    expect(lines).toContain(`  stamps: zone shift               ${text}`);
  });

  test('leaves out events that are not of an entry', () => {
    const others = [{ metadata: null }, {}, { metadata: {} }].map((detail) => ({
      source: 'membership.actionlog',
      detailType: 'MemberChanged',
      detail,
    }));

    expect(actionKeyLines(others)).toContain('        1  (none)                               MemberChanged');
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

  test('says so if no event was published', () => {
    expect(actionKeyLines([])).toEqual(['Action keys: no event was published, so none was seen.']);
    expect(actionKeyLines([event('ContactCreated', 'MemberChanged')]).at(-1)).toBe(
      'None fell through to OtherActionLogged.',
    );
  });
});
