import { describe, expect, it } from 'vitest';
import { readApiAnswer } from '../../../functions/consumers/api-answer.ts';

const NOW = Date.UTC(2026, 10, 21, 7);

const read = (status: number, { headers = {}, text = '', isWhole = true } = {}) =>
  readApiAnswer({ status, headers, cookies: [], text, isWhole }, { host: 'api.example.com', now: NOW });

describe('the answer of an API', () => {
  it.each([200, 201, 202, 204, 207])('%i is accepted, with its JSON', (status) => {
    expect(read(status, { text: '{"id":"p-1"}' })).toEqual({ kind: 'accepted', status, json: { id: 'p-1' } });
  });

  it.each([
    ['nothing', { text: '' }],
    ['a page', { text: '<html>' }],
    ['JSON that was cut', { text: '1', isWhole: false }],
  ])('has no JSON where it is %s', (_what, answer) => {
    expect(read(200, answer)).toMatchObject({ kind: 'accepted', json: null });
  });

  it.each([300, 302, 307, 400, 401, 403, 404, 405, 409, 410, 413, 415, 422, 501, 505])(
    '%i is refused: another try changes nothing',
    (status) => {
      expect(read(status, { text: '{"error":"hidden"}' })).toMatchObject({
        kind: 'refused',
        status,
        json: { error: 'hidden' },
        error: { code: 'DeliveryFailed', retryable: false, details: { host: 'api.example.com', status } },
      });
    },
  );

  it.each([408, 425, 429, 500, 502, 503, 504, 520])('%i is tried again later', (status) => {
    expect(read(status)).toMatchObject({
      kind: 'later',
      until: null,
      error: { code: 'DeliveryFailed', retryable: true, details: { host: 'api.example.com', status } },
    });
  });

  it.each([
    ['seconds', { 'retry-after': '30' }, 30_000],
    ['a date', { 'retry-after': 'Sat, 21 Nov 2026 07:02:00 GMT', date: 'Sat, 21 Nov 2026 07:00:00 GMT' }, 120_000],
    ['a day, which is cut to 15 minutes', { 'retry-after': '86400' }, 900_000],
  ])('is waited for as long as Retry-After says in %s', (_what, headers, ms) => {
    expect(read(429, { headers })).toMatchObject({ kind: 'later', until: NOW + ms });
    expect(read(503, { headers })).toMatchObject({ kind: 'later', until: NOW + ms });
  });

  it('is repeated by no error', () => {
    const text = '{"email":"hidden@example.org"}';
    const answers = [read(422, { text }), read(500, { text })];

    for (const answer of answers)
      expect(JSON.stringify('error' in answer ? [answer.error, answer.error.message] : '')).not.toContain('hidden');
  });
});
