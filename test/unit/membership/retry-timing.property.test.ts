// Delays, and Retry-After in all its forms, against their definitions.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fullJitterMs, readRetryAt } from '../../../functions/membership/retry-timing.ts';

const NOW = Date.parse('2026-03-10T09:00:00Z');
const DAY_MS = 86_400_000;
const DAYS = ['Sun', 'Mon', 'Tues', 'Wednes', 'Thurs', 'Fri', 'Satur'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** RFC 9110, 5.6.7: the current form and two obsolete ones that must be read. */
const FORMS: Readonly<Record<string, (at: Date) => string>> = {
  IMF: (at) => `${dayOf(at)}, ${two(at.getUTCDate())} ${monthOf(at)} ${at.getUTCFullYear()} ${timeOf(at)} GMT`,
  RFC850: (at) =>
    `${DAYS[at.getUTCDay()]}day, ${two(at.getUTCDate())}-${monthOf(at)}-${two(at.getUTCFullYear() % 100)} ${timeOf(at)} GMT`,
  asctime: (at) =>
    `${dayOf(at)} ${monthOf(at)} ${String(at.getUTCDate()).padStart(2, ' ')} ${timeOf(at)} ${at.getUTCFullYear()}`,
};

const two = (value: number): string => String(value).padStart(2, '0');
const dayOf = (at: Date): string => DAYS[at.getUTCDay()]?.slice(0, 3) ?? '';
const monthOf = (at: Date): string => MONTHS[at.getUTCMonth()] ?? '';
const timeOf = (at: Date): string => [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()].map(two).join(':');

describe('Retry-After', () => {
  it('as a date of any form means that instant on the clock of the service, however wrong it is', () => {
    const form = fc.constantFrom(...Object.values(FORMS));
    const waitS = fc.integer({ min: -100_000, max: 200_000 });
    const skewS = fc.integer({ min: -400 * 86_400, max: 400 * 86_400 });

    fc.assert(
      fc.property(form, form, waitS, skewS, (write, writeDate, wait, skew) => {
        const theirs = NOW + skew * 1_000;
        const headers = { 'retry-after': write(new Date(theirs + wait * 1_000)), date: writeDate(new Date(theirs)) };

        const retryAt = readRetryAt(headers, NOW);

        expect(retryAt).toBe(wait > 0 ? NOW + Math.min(wait * 1_000, DAY_MS) : null);
      }),
      { numRuns: 500 },
    );
  });

  it('as a number is that many seconds from now, whatever the Date header says', () => {
    const date = fc.constantFrom('', 'rubbish', 'Tue, 10 Mar 2020 09:00:00 GMT');

    fc.assert(
      fc.property(fc.nat(200_000), fc.nat(999_999), date, (seconds, microseconds, date) => {
        const text = `${seconds}.${String(microseconds).padStart(6, '0')}`;

        const retryAt = readRetryAt({ 'retry-after': ` ${text} `, date }, NOW) ?? NOW;

        // Rounded up to a millisecond: a request is never sent too early.
        const waitMs = Math.min(seconds * 1_000 + microseconds / 1_000, DAY_MS);
        expect(retryAt - NOW).toBeGreaterThanOrEqual(waitMs - 1e-6);
        expect(retryAt - NOW).toBeLessThan(waitMs + 1 + 1e-6);
      }),
    );
  });
});

describe('full jitter', () => {
  const policy = fc.record({
    attempts: fc.constant(3),
    baseMs: fc.integer({ min: 1, max: 10_000 }),
    capMs: fc.integer({ min: 1, max: 60_000 }),
  });
  const chance = fc.double({ min: 0, max: 1 - Number.EPSILON, noNaN: true });

  it('is an integer from 0 to its exclusive limit, which doubles with each retry up to the cap', () => {
    fc.assert(
      fc.property(fc.nat(2_000), policy, chance, (retries, limits, random) => {
        const ms = fullJitterMs(retries, limits, random);

        let limit = limits.baseMs;
        for (let doubled = 0; doubled < retries && limit < limits.capMs; doubled += 1) limit += limit;
        expect(Number.isInteger(ms)).toBe(true);
        expect(ms).toBeGreaterThanOrEqual(0);
        expect(ms).toBeLessThan(Math.min(limit, limits.capMs));
        expect(ms).toBeGreaterThan(random * Math.min(limit, limits.capMs) - 1);
      }),
      { numRuns: 500 },
    );
  });
});
