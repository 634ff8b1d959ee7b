import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPutOff, pauseReason, stateAfterFailure, stateAfterSuccess } from '../../../functions/poller/trouble.ts';
import { BridgeError, ERROR_CODES, type ErrorCode, type ErrorDetails } from '../../../functions/shared/errors.ts';
import { fakeClock, HOUR, MINUTE, NOW, SECOND, stateOf } from './builders.ts';

function failure(code: ErrorCode, details: ErrorDetails = {}): BridgeError {
  return new BridgeError(code, code, { retryable: false, details });
}

/** The pause after the nth failure of the same kind in a row, with the least and the most jitter. */
function pauses(error: BridgeError, pausesBefore: number): [number | undefined, number | undefined] {
  const pauseWith = (random: number): number | undefined => {
    const clock = { ...fakeClock(), random: () => random };
    const before = pausesBefore === 0 ? null : { at: NOW, code: error.code, pauses: pausesBefore };
    const { notBefore } = stateAfterFailure(stateOf({ notBefore: before }), error, { clock, inPast: false });
    return notBefore === null ? undefined : notBefore.at - NOW;
  };
  return [pauseWith(0), pauseWith(0.999_999_9)];
}

describe('the state after a failed run', () => {
  it('says of how far reading has come what it said before, for every way to fail (S01, S17)', () => {
    const before = stateOf({ lows: { recent: 3, settle: 2, reconcile: 1 }, pastLevels: ['past'], noticed: ['x'] });

    for (const code of ERROR_CODES) {
      const details = { secretVersion: 'v1', retryAt: NOW + 1, status: 400 };
      const after = stateAfterFailure(before, failure(code, details), { clock: fakeClock(), inPast: false });

      expect({ ...after, failures: 0, breaker: null, notBefore: null }).toEqual(before);
    }
  });

  it('counts the failures in a row, whatever was thrown', () => {
    const clock = fakeClock();

    const first = stateAfterFailure(stateOf(), failure('ServiceTimeout'), { clock, inPast: false });
    const second = stateAfterFailure(first, new Error('unexpected'), { clock, inPast: false });
    const third = stateAfterFailure(second, 'thrown text', { clock, inPast: false });

    expect([first.failures, second.failures, third.failures]).toEqual([1, 2, 3]);
  });

  it.each<ErrorCode>([
    'ServiceUnavailable',
    'ServiceTimeout',
    'ResponseInvalid',
    'ResponseTooLarge',
    'StateUnavailable',
    'PublishFailed',
    'WalkDidNotEnd',
    'BusMissing',
    'ContinuationRefused',
  ])('puts nothing off after %s: the next tick is the retry', (code) => {
    const before = stateOf({ notBefore: { at: NOW - 1, code: 'RateLimited', pauses: 1 } });

    expect(stateAfterFailure(before, failure(code), { clock: fakeClock(), inPast: false }).notBefore).toBeNull();
  });
});

describe('a pause', () => {
  it.each<[ErrorCode, number, [number, number]]>([
    ['PermissionDenied', 0, [30 * SECOND, MINUTE]],
    ['PermissionDenied', 1, [MINUTE, 2 * MINUTE]],
    ['RequestRefused', 2, [2 * MINUTE, 4 * MINUTE]],
    ['Unauthorized', 5, [16 * MINUTE, 32 * MINUTE]],
    ['RedirectRefused', 6, [30 * MINUTE, HOUR]],
    ['PermissionDenied', 1_000_000, [30 * MINUTE, HOUR]],
    ['RateLimited', 0, [SECOND, 2 * SECOND]],
    ['RateLimited', 4, [16 * SECOND, 32 * SECOND]],
    ['RateLimited', 1_000, [30 * MINUTE, HOUR]],
  ])(
    'after %s with %i failures before is between half and the whole of its limit (S29, S30)',
    (code, before, limits) => {
      expect(pauses(failure(code), before)).toEqual(limits);
    },
  );

  it.each([NOW + 1, NOW + HOUR, NOW + 24 * HOUR])(
    'lasts until the instant that the service named, however often it failed (S29): %i',
    (retryAt) => {
      const state = stateAfterFailure(stateOf({ failures: 9 }), failure('RateLimited', { retryAt }), {
        clock: fakeClock(),
        inPast: false,
      });

      expect(state.notBefore).toEqual({ code: 'RateLimited', at: retryAt, pauses: 1 });
    },
  );

  it.each([null, undefined, 'soon', true])(
    'is our own where the service named none that can be used: %s',
    (retryAt) => {
      expect(pauses(failure('RateLimited', { retryAt }), 0)).toEqual([SECOND, 2 * SECOND]);
    },
  );

  it('never lasts longer than an hour unless the service wants it, and is never none', () => {
    const codes = fc.constantFrom<ErrorCode>('PermissionDenied', 'RequestRefused', 'Unauthorized', 'RateLimited');

    fc.assert(
      fc.property(codes, fc.nat(), fc.double({ min: 0, max: 0.999, noNaN: true }), (code, failures, random) => {
        const clock = { ...fakeClock(), random: () => random };

        const pause =
          (stateAfterFailure(stateOf({ notBefore: { at: NOW, code, pauses: failures } }), failure(code), {
            clock,
            inPast: false,
          }).notBefore?.at ?? NOW) - NOW;

        expect(pause).toBeGreaterThanOrEqual(SECOND);
        expect(pause).toBeLessThanOrEqual(HOUR);
      }),
    );
  });

  it.each([
    [null, false],
    [{ at: NOW - 1, code: 'RateLimited', pauses: 1 }, false],
    [{ at: NOW, code: 'RateLimited', pauses: 1 }, false],
    [{ at: NOW + 1, code: 'RateLimited', pauses: 1 }, true],
  ])('of %j puts a run off: %s', (notBefore, putOff) => {
    expect(isPutOff(stateOf({ notBefore }), NOW)).toBe(putOff);
  });
});

describe('the breaker (S34)', () => {
  it('opens for the secret’s version that was refused', () => {
    const state = stateAfterFailure(stateOf(), failure('CredentialsRefused', { secretVersion: 'v2' }), {
      clock: fakeClock(),
      inPast: false,
    });

    expect(state.breaker).toEqual({ secretVersion: 'v2', at: NOW });
  });

  it.each<[string, unknown]>([
    ['another failure', failure('Unauthorized', { secretVersion: 'v2' })],
    ['a refusal that names no version', failure('CredentialsRefused')],
    ['what is no failure of the bridge', new Error('x')],
  ])('stays as it is after %s', (_name, error) => {
    const breaker = { secretVersion: 'v1', at: NOW - HOUR };

    expect(stateAfterFailure(stateOf(), error, { clock: fakeClock(), inPast: false }).breaker).toBeNull();
    expect(stateAfterFailure(stateOf({ breaker }), error, { clock: fakeClock(), inPast: false }).breaker).toEqual(
      breaker,
    );
  });
});

describe('the state after a run without failure', () => {
  it('forgets what stood in the way, and nothing else', () => {
    const before = stateOf({
      failures: 7,
      breaker: { secretVersion: 'v1', at: 1 },
      notBefore: { at: 1, code: 'RateLimited', pauses: 1 },
      lows: { recent: 3, settle: 2, reconcile: 1 },
    });

    expect(stateAfterSuccess(before, 'v2')).toEqual({ ...before, failures: 0, breaker: null, notBefore: null });
  });

  it.each([null, 'v1'])(
    'keeps the breaker while no other version of the secret has logged in (%s) (S34)',
    (version) => {
      const before = stateOf({ breaker: { secretVersion: 'v1', at: 1 } });

      expect(stateAfterSuccess(before, version).breaker).toEqual(before.breaker);
    },
  );
});

describe('a pause', () => {
  it('begins short again where the failures before it were of another kind', () => {
    const after = stateAfterFailure(stateOf({ failures: 10 }), failure('RateLimited'), {
      clock: { ...fakeClock(), random: () => 0 },
      inPast: false,
    });

    expect(after.notBefore).toEqual({ code: 'RateLimited', at: NOW + SECOND, pauses: 1 });
  });
});

describe('a failure of the second lane', () => {
  it.each(['PermissionDenied', 'RequestRefused'] as const)('with %s does not put off live work', (code) => {
    const after = stateAfterFailure(stateOf(), failure(code), { clock: fakeClock(), inPast: true });

    expect(after.notBefore).toBeNull();
  });
});

describe('a run that did not try to log in', () => {
  it.each<[string, unknown, string | null]>([
    ['a secret that still holds its placeholder', failure('CredentialsNotSet'), 'credentials-not-set'],
    ['credentials refused before', failure('CredentialsRefused', { attempted: false }), 'credentials-refused'],
    ['credentials refused now', failure('CredentialsRefused', { attempted: true, secretVersion: 'v1' }), null],
    ['credentials refused, nobody says when', failure('CredentialsRefused'), null],
    ['any other failure', failure('PermissionDenied', { attempted: false }), null],
    ['what is no failure of the bridge', new Error('CredentialsNotSet'), null],
  ])('pauses, and has not failed: %s', (_name, error, reason) => {
    expect(pauseReason(error)).toBe(reason);
  });
});
