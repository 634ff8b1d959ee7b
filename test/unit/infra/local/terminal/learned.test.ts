import { describe, expect, test } from 'vitest';
import { emptyProfile } from '../../../../../functions/source/service-profile.ts';
import { actionKeyLines, factLines } from '../../../../../infra/local/terminal/learned.ts';

const event = (actionKey: string | null, detailType: string) => ({
  source: 'membership.actionlog',
  detailType,
  detail: { metadata: { actionKey } },
});

describe('what was learned', () => {
  test('has action keys of at most 64 characters', () => {
    const lines = actionKeyLines([event('x'.repeat(5_000), 'OtherActionLogged')]);

    expect(lines.join('\n')).not.toContain('x'.repeat(64));
    expect(lines[1]).toContain(`${'x'.repeat(63)}…`);
  });

  test('is a sentence for each fact, of at most 80 columns', () => {
    const profile = emptyProfile();
    Object.assign(profile.continuation, { place: '/requestContinuation', endsWalks: true, stuckWalks: 2 });
    profile.fields.time = '/createdOn';
    Object.assign(profile.stamps, { form: 'wall', fractionDigits: 3, someMissing: true });
    Object.assign(profile.filters, { form: 'wall', startInclusive: true, endInclusive: false, ignoresStart: true });
    profile.pages.size = { requested: 100, accepted: 50 };
    profile.pages.longest = { pageSize: 50, entries: 40 };

    const lines = factLines(profile);

    expect(lines).toEqual([
      'Learned about the service:',
      '  A page names the next one at /requestContinuation.',
      '  The last page of a walk names no next one.',
      '  The last 2 walks made no progress.',
      '  The time of an entry is at /createdOn, as local time without an offset.',
      '  Times have 3 digits of a fraction of a second.',
      '  Nothing shows yet whether timeZone is right.',
      '  Some entries have no usable time.',
      '  Dates in requests are accepted as local time without an offset.',
      '  startDate includes the entries of exactly that time.',
      '  endDate leaves out the entries of exactly that time.',
      '  startDate does not keep older entries away.',
      '  Pages of 100 entries are refused, and pages of 50 are accepted.',
      '  The longest page had 40 of 50 entries.',
    ]);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  test('says of a service that showed nothing only what is still open', () => {
    expect(factLines(emptyProfile())).toEqual([
      'Learned about the service:',
      '  No page named a next one yet.',
      '  No entry was seen yet that shows where its time is.',
    ]);
  });

  test.each([
    [{ quarters: 0, count: 0 }, 'Nothing shows yet whether timeZone is right.'],
    [{ quarters: 0, count: 2, sweepId: 'a' }, 'Times agree with timeZone.'],
    [{ quarters: -36, count: 3 }, 'Times are 540 minutes behind timeZone.'],
    [{ quarters: 23, count: 1 }, 'Times are 345 minutes ahead of timeZone.'],
  ])('says a shift of the zone in words: %j', (zoneShift, text) => {
    const profile = emptyProfile();

    const lines = factLines({ ...profile, stamps: { ...profile.stamps, form: 'wall', zoneShift } });

    expect(lines).toContain(`  ${text}`);
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

  test('says that none fell through only if none did: logins, reads and exports always do', () => {
    expect(actionKeyLines([event('MemberLoggedIn', 'OtherActionLogged')]).at(-1)).toBe(
      'Only logins, reads and exports are OtherActionLogged, as they always are.',
    );
  });
});
