import { describe, expect, test } from 'vitest';
import { afterFailedInvocation, afterRefusedDelivery } from '../../../../../infra/local/lambda/retry-policy.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describe('asynchronous invocation that failed', () => {
  const limits = { retryAttempts: 2, maximumAgeMs: 6 * HOUR_MS };

  test('is retried after one minute, after two more, and then given up', () => {
    expect(afterFailedInvocation({ failures: 1, ageMs: 0 }, limits)).toEqual({ waitMs: MINUTE_MS });
    expect(afterFailedInvocation({ failures: 2, ageMs: 0 }, limits)).toEqual({ waitMs: 2 * MINUTE_MS });
    expect(afterFailedInvocation({ failures: 3, ageMs: 0 }, limits)).toEqual({ givenUp: 'RetriesExhausted' });
  });

  test('is retried as often as its configuration allows', () => {
    expect(afterFailedInvocation({ failures: 1, ageMs: 0 }, { ...limits, retryAttempts: 0 })).toEqual({
      givenUp: 'RetriesExhausted',
    });
  });

  test('is given up only if the next retry would come after its maximum age', () => {
    const old = { ...limits, maximumAgeMs: 90_000 };

    expect(afterFailedInvocation({ failures: 1, ageMs: 30_000 }, old)).toEqual({ waitMs: MINUTE_MS });
    expect(afterFailedInvocation({ failures: 1, ageMs: 30_001 }, old)).toEqual({ givenUp: 'EventAgeExceeded' });
  });
});

describe('delivery that a target refused', () => {
  const limits = { retryAttempts: 185, maximumAgeMs: 24 * HOUR_MS };
  const throttled = { errorType: 'TooManyRequestsException', errorMessage: 'Rate Exceeded.' };

  test('is retried after waits that double, up to eight minutes', () => {
    const waits = [1, 2, 3, 9, 10, 50].map((failures) =>
      afterRefusedDelivery({ failures, ageMs: 0 }, limits, throttled),
    );

    expect(waits.map((next) => ('waitMs' in next ? next.waitMs / 1000 : null))).toEqual([1, 2, 4, 256, 480, 480]);
  });

  test('is retried 185 times in about a day without a policy', () => {
    const waits: number[] = [];
    const ageMs = (): number => waits.reduce((sum, waitMs) => sum + waitMs, 0);
    let next = afterRefusedDelivery({ failures: 1, ageMs: 0 }, limits, throttled);
    while ('waitMs' in next) {
      waits.push(next.waitMs);
      next = afterRefusedDelivery({ failures: waits.length + 1, ageMs: ageMs() }, limits, throttled);
    }

    expect(next).toEqual({ givenUp: 'MaximumRetryAttempts' });
    expect(waits).toHaveLength(185);
    expect(ageMs() / HOUR_MS).toBeGreaterThan(23);
    expect(ageMs() / HOUR_MS).toBeLessThan(24);
  });

  test('is given up at the limit that comes first', () => {
    const twice = { ...limits, retryAttempts: 2 };
    const shortly = { ...limits, maximumAgeMs: MINUTE_MS };

    expect(afterRefusedDelivery({ failures: 3, ageMs: 0 }, twice, throttled)).toEqual({
      givenUp: 'MaximumRetryAttempts',
    });
    expect(afterRefusedDelivery({ failures: 6, ageMs: 31_000 }, shortly, throttled)).toEqual({
      givenUp: 'MaximumEventAgeInSeconds',
    });
  });
});
