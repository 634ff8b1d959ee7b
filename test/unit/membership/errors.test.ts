import { expect, test } from 'vitest';
import { toStatusError } from '../../../functions/membership/errors.ts';

const NOW = Date.parse('2026-03-10T09:00:00Z');
const FIRST = { asked: 'the action log', continued: false, now: NOW };
const NEXT = { ...FIRST, continued: true };

test.each([
  { status: 400, code: 'RequestRefused', retryable: false },
  { status: 401, code: 'Unauthorized', retryable: false },
  { status: 403, code: 'PermissionDenied', retryable: false },
  { status: 404, code: 'RequestRefused', retryable: false },
  { status: 408, code: 'ServiceUnavailable', retryable: true },
  { status: 414, code: 'RequestRefused', retryable: false },
  { status: 418, code: 'RequestRefused', retryable: false },
  { status: 422, code: 'RequestRefused', retryable: false },
  { status: 429, code: 'RateLimited', retryable: true },
  { status: 431, code: 'RequestRefused', retryable: false },
  { status: 500, code: 'ServiceUnavailable', retryable: true },
  { status: 503, code: 'ServiceUnavailable', retryable: true },
])('a $status is $code', ({ status, code, retryable }) => {
  const error = toStatusError({ status, headers: {} }, FIRST);

  expect(error).toMatchObject({ code, retryable, details: { status } });
});

test.each([400, 404, 410, 413, 414, 422, 431])(
  'a %i to a request with a continuation is a refusal of the continuation',
  (status) => {
    const error = toStatusError({ status, headers: {} }, NEXT);

    expect(error).toMatchObject({ code: 'ContinuationRefused', retryable: false, details: { status } });
  },
);

test.each([
  { status: 401, code: 'Unauthorized' },
  { status: 403, code: 'PermissionDenied' },
  { status: 429, code: 'RateLimited' },
  { status: 500, code: 'ServiceUnavailable' },
])('a $status says nothing about the continuation', ({ status, code }) => {
  const error = toStatusError({ status, headers: {} }, NEXT);

  expect(error).toMatchObject({ code });
});

test.each([429, 503])('a %i has the instant to wait for, or null', (status) => {
  const told = toStatusError({ status, headers: { 'retry-after': '60' } }, FIRST);
  const untold = toStatusError({ status, headers: {} }, FIRST);

  expect(told.details['retryAt']).toBe(NOW + 60_000);
  expect(untold.details['retryAt']).toBeNull();
});
