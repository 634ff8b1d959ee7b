import { describe, expect, it } from 'vitest';
import { parseDuration, readSourceSettings, type SourceInput } from '../../../functions/source/settings.ts';
import { BridgeError } from '../../../functions/shared/errors.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');

const required: SourceInput = {
  sourceId: 'acme',
  baseUrl: 'https://api.membership.example',
  timeZone: 'Europe/Istanbul',
  secretId: 'membership/acme',
};

const settingsWith = (more: Record<string, unknown>) => readSourceSettings({ ...required, ...more }, NOW);

/** The lines of the one error that these settings are refused with. */
function problemsOf(input: unknown): string[] {
  try {
    readSourceSettings(input, NOW);
  } catch (error) {
    if (error instanceof BridgeError && error.code === 'InvalidSettings') return error.message.split('\n').slice(1);
    throw error;
  }
  return [];
}

const problemsWith = (more: Record<string, unknown>) => problemsOf({ ...required, ...more });

describe('readSourceSettings', () => {
  it('fills in every default where only the required settings are written', () => {
    const settings = readSourceSettings(required, NOW);

    expect(settings).toEqual({
      ...required,
      organisationId: null,
      otherOrganisations: null,
      startFrom: { kind: 'now' },
      actionKeys: null,
      organisationMembershipId: null,
      pageSize: 100,
      maxRequestsPerMinute: 60,
      fields: {
        id: null,
        occurredAt: null,
        actionKey: null,
        organisationMembershipId: null,
        organisationId: null,
        continuation: null,
      },
      detailTypes: {},
      lookbackMs: { recent: 180_000, settle: 9_000_000, reconcile: 108_000_000 },
      everyMs: { settle: 1_800_000, reconcile: 21_600_000 },
      tickMs: null,
    });
  });

  it.each([
    ['PT5S', 5_000],
    ['PT30S', 30_000],
    ['PT1M', null],
    ['PT60M', null],
  ])('takes ticks within the minute from "every": %s', (every, tickMs) => {
    expect(settingsWith({ every }).tickMs).toBe(tickMs);
  });

  it.each(['PT7S', 'PT45S', 'PT90S', 'PT61M', '5s', 'PT1S', 5])('refuses "every": %s', (every) => {
    expect(() => settingsWith({ every })).toThrow(/every: .*write how often to poll/);
  });

  it('refuses ticks that take more than half of the requests', () => {
    expect(settingsWith({ every: 'PT5S', maxRequestsPerMinute: 24 }).tickMs).toBe(5_000);
    expect(() => settingsWith({ every: 'PT5S', maxRequestsPerMinute: 23 })).toThrow(
      /every: takes 12 requests a minute, more than half of maxRequestsPerMinute \(23\)/,
    );
  });

  it('takes over every setting that is written', () => {
    const id = '6f9619ff-8b86-d011-b42d-00cf4fc964ff';

    const settings = settingsWith({
      organisationId: id,
      startFrom: 'beginning',
      actionKeys: 'ContactCreated,ContactUpdated',
      organisationMembershipId: id.toUpperCase(),
      pageSize: 1000,
      maxRequestsPerMinute: 1,
      fields: { id: '/id', occurredAt: '/meta/created~1at', continuation: '/requestContinuation' },
      detailTypes: { TagChanged: ['Label*'] },
    });

    expect(settings).toMatchObject({
      organisationId: id,
      startFrom: { kind: 'beginning' },
      actionKeys: 'ContactCreated,ContactUpdated',
      organisationMembershipId: id.toUpperCase(),
      pageSize: 1000,
      maxRequestsPerMinute: 1,
      fields: { id: '/id', occurredAt: '/meta/created~1at', actionKey: null, continuation: '/requestContinuation' },
      detailTypes: { TagChanged: ['Label*'] },
    });
  });

  it('keeps the defaults of the durations beside one that is written', () => {
    const { lookbackMs, everyMs } = settingsWith({
      advanced: { lookback: { recent: 'PT10M' }, every: { reconcile: 'PT1S' } },
    });

    expect(lookbackMs).toEqual({ recent: 600_000, settle: 9_000_000, reconcile: 108_000_000 });
    expect(everyMs).toEqual({ settle: 1_800_000, reconcile: 1000 });
  });

  it.each([
    ['pageSize', 1_000],
    ['maxRequestsPerMinute', 600],
  ])('takes a %s from 1 to %i', (name, most) => {
    for (const value of [1, most]) expect(settingsWith({ [name]: value })).toMatchObject({ [name]: value });
    for (const value of [0, most + 1, 1.5])
      expect(() => settingsWith({ [name]: value })).toThrow(`write a whole number from 1 to ${most}`);
  });

  it('keeps the order of the detail types, because the first that matches decides', () => {
    const { detailTypes } = settingsWith({ detailTypes: { TagChanged: ['A*'], MemberChanged: ['AB*'] } });

    expect(Object.keys(detailTypes)).toEqual(['TagChanged', 'MemberChanged']);
  });

  it('tells every problem in one error, each on a line with its path and its remedy', () => {
    const problems = problemsOf({
      sourceId: 'Acme',
      baseUrl: 'https://api.membership.example',
      pageSize: 0,
      fields: { id: 'id' },
      detailTypes: { TagChanged: ['Tag*', 7] },
      advanced: { lookback: { recent: 'three minutes' }, every: 'day' },
    });

    expect(problems).toEqual([
      '- sourceId: does not have the right form; write 1 to 63 lower-case letters, digits and hyphens, not beginning with a hyphen',
      '- timeZone: is missing; write the IANA name of the organisation\'s zone, such as "Europe/Istanbul"',
      '- pageSize: is 0; write a whole number from 1 to 1000',
      '- fields.id: does not have the right form; write a JSON pointer such as "/id" (RFC 6901)',
      '- detailTypes.TagChanged[1]: is of type number; write an action key such as "Contact*", in which * stands for any letters',
      '- advanced.lookback.recent: is not an ISO 8601 duration; write an ISO 8601 duration such as "PT2H30M", "PT45S" or "P1D"',
      '- advanced.every: is of type string; write an object with settle, reconcile',
      '- secretId: is missing; write the name or the ARN of the secret that holds username and password',
    ]);
  });

  it('names the nearest setting for an unknown key at any depth', () => {
    const problems = problemsWith({
      timezone: 'UTC',
      detailTypes: { MemberChange: [] },
      advanced: { lookbak: {}, every: { setle: 'PT1M' } },
    });

    expect(problems).toEqual([
      '- detailTypes.MemberChange: is not known; did you mean "MemberChanged"?',
      '- advanced.every.setle: is not known; did you mean "settle"?',
      '- advanced.lookbak: is not known; did you mean "lookback"?',
      '- timezone: is not known; did you mean "timeZone"?',
    ]);
  });

  it('lists the known settings for an unknown key that resembles none', () => {
    const problems = problemsWith({ fields: { colour: '/c' } });

    expect(problems).toEqual([
      '- fields.colour: is not known; known are id, occurredAt, actionKey, organisationMembershipId, organisationId, continuation',
    ]);
  });

  it.each([null, undefined, 'acme', [required], 7])('refuses %j in the place of settings', (input) => {
    expect(problemsOf(input)).toHaveLength(1);
  });

  it('never repeats a value in the error, because it may be a secret in the wrong place', () => {
    const secret = '{"username":"a@b.c","password":"Hunter2!"}';

    const problems = problemsWith({
      secretId: secret,
      baseUrl: 'https://me:Hunter2!@api.membership.example',
      timeZone: 'Hunter2!',
      startFrom: 'Hunter2!',
      pageSize: 'Hunter2!',
      fields: { id: 'Hunter2!' },
    });

    expect(problems).toHaveLength(6);
    expect(problems.join()).not.toContain('Hunter2!');
  });
});

describe('baseUrl', () => {
  it.each([
    ['https://api.membership.example/', 'https://api.membership.example'],
    ['https://api.membership.example/v1//', 'https://api.membership.example/v1'],
    ['http://127.0.0.1:4010', 'http://127.0.0.1:4010'],
    ['http://localhost:4010/', 'http://localhost:4010'],
    ['http://[::1]:4010', 'http://[::1]:4010'],
  ])('takes %s for %s', (baseUrl, normalised) => {
    expect(settingsWith({ baseUrl }).baseUrl).toBe(normalised);
  });

  it.each([
    ['http://api.membership.example', 'is not https'],
    ['http://localhost.evil.example', 'is not https'],
    ['http://127.0.0.1.evil.example', 'is not https'],
    ['ftp://127.0.0.1', 'is not https'],
    ['https://user@api.membership.example', 'holds credentials'],
    ['https://:secret@api.membership.example', 'holds credentials'],
    ['https://api.membership.example?x=1', 'has a query or a fragment'],
    ['https://api.membership.example/#', 'has a query or a fragment'],
    ['api.membership.example', 'is not a URL'],
  ])('refuses %s: it %s', (baseUrl, problem) => {
    expect(problemsWith({ baseUrl })).toEqual([expect.stringContaining(`- baseUrl: ${problem}`)]);
  });
});

describe('startFrom', () => {
  it.each([
    ['now', { kind: 'now' }],
    ['2026-11-20T12:00:00Z', { kind: 'instant', at: NOW }],
    ['2026-11-20T15:00+03:00', { kind: 'instant', at: NOW }],
    ['P30D', { kind: 'duration', ms: 2_592_000_000 }],
  ])('reads %s', (startFrom, expected) => {
    expect(settingsWith({ startFrom }).startFrom).toEqual(expected);
  });

  it.each([
    ['2026-11-20T12:00:00.001Z', 'lies in the future'],
    ['2026-11-20T12:00:00', 'is an instant without an offset'],
    ['2026-02-30T12:00:00Z', 'is neither an instant nor a duration'],
    ['2026-11-20', 'is neither an instant nor a duration'],
    ['yesterday', 'is neither an instant nor a duration'],
    ['P1M', 'counts years or months, whose length varies'],
    ['PT0S', 'is zero'],
  ])('refuses %s: it %s', (startFrom, problem) => {
    expect(problemsWith({ startFrom })).toEqual([expect.stringContaining(`- startFrom: ${problem}`)]);
  });
});

describe('the other settings', () => {
  it.each(['Mars/Olympus', '+03:00', ''])('refuse %j as a time zone', (timeZone) => {
    expect(problemsWith({ timeZone })).toEqual([expect.stringContaining('write the IANA name')]);
  });

  it.each(['a', '0-a', 'a'.repeat(63)])('take %s as a source id', (sourceId) => {
    expect(settingsWith({ sourceId }).sourceId).toBe(sourceId);
  });

  it.each(['', '-a', 'a_b', 'ä', 'a\n', 'a'.repeat(64)])('refuse %j as a source id', (sourceId) => {
    expect(problemsWith({ sourceId })).toHaveLength(1);
  });

  it.each([0, 1001, 1.5, '100', null, Number.NaN])('refuse %j as a page size', (pageSize) => {
    expect(problemsWith({ pageSize })).toEqual([expect.stringContaining('write a whole number from 1 to 1000')]);
  });

  it('refuse action keys longer than 2,000 characters', () => {
    expect(problemsWith({ actionKeys: 'k'.repeat(2000) })).toEqual([]);
    expect(problemsWith({ actionKeys: 'k'.repeat(2001) })).toHaveLength(1);
  });

  it('take a header, in lower case, as the place of the continuation alone', () => {
    const { fields } = settingsWith({ fields: { continuation: 'header:X-Continuation' } });

    expect(fields.continuation).toBe('header:x-continuation');
    expect(problemsWith({ fields: { id: 'header:X-Id' } })).toHaveLength(1);
  });

  it.each(['', 'id', '/a~', '/a~2b', 'header:'])('refuse %j as the place of the continuation', (continuation) => {
    expect(problemsWith({ fields: { continuation } })).toHaveLength(1);
  });
});

describe('advanced', () => {
  it.each([
    [{ recent: 'PT3H' }, 'does not ascend'],
    [{ settle: 'PT31H' }, 'does not ascend'],
    [{ reconcile: 'P7DT1S' }, 'has a reconcile too long for the ledger'],
  ])('refuses the lookback %j: it %s', (lookback, problem) => {
    expect(problemsWith({ advanced: { lookback } })).toEqual([
      expect.stringContaining(`- advanced.lookback: ${problem}`),
    ]);
  });

  it('takes equal lookbacks and a period longer than its lookback', () => {
    const advanced = { lookback: { recent: 'PT1S', settle: 'PT1S', reconcile: 'PT1S' }, every: { settle: 'PT1H' } };

    expect(problemsWith({ advanced })).toEqual([]);
  });

  it.each([{ every: { settle: 'PT0S' } }, { lookback: { recent: 'PT0S' } }])('refuses zero in %j', (advanced) => {
    expect(problemsWith({ advanced })).toEqual([expect.stringContaining('is zero')]);
  });
});

describe('parseDuration', () => {
  it.each([
    ['PT1S', 1000],
    ['PT0.5S', 500],
    ['PT1,25S', 1250],
    ['PT3M', 180_000],
    ['PT2H30M', 9_000_000],
    ['P1D', 86_400_000],
    ['P1DT1H1M1S', 90_061_000],
    ['P2W', 1_209_600_000],
    ['PT0S', 0],
  ])('reads %s as %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each([
    '',
    'P',
    'PT',
    'P1DT',
    'PT1',
    '1D',
    'P1S',
    'PT1D',
    'P1W1D',
    '-PT1S',
    'PT1.5H',
    'pt1s',
    'PT1S ',
    'PT99999999999999999S',
  ])('refuses %j', (text) => {
    expect(() => parseDuration(text)).toThrow(RangeError);
  });

  it.each(['P1Y', 'P1M', 'P1Y2M3DT4H'])('says of %s why years and months cannot be counted', (text) => {
    expect(() => parseDuration(text)).toThrow('counts years or months, whose length varies');
  });
});
