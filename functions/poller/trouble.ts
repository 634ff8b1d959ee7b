// What a failure means for the runs after it: when they may ask the service again, and whether they may log in.
import type { Clock } from '../shared/clock.ts';
import { BridgeError } from '../shared/errors.ts';
import type { SourceState } from '../source/state.ts';

/** Failures that another request a minute later does not mend: the next one waits, longer each time. */
const SLOW_CODES = ['PermissionDenied', 'RequestRefused', 'Unauthorized', 'RedirectRefused'];
const SLOW_BASE_MS = 60_000;
const RATE_BASE_MS = 2_000;
const LONGEST_PAUSE_MS = 3_600_000;

/** The state after a failed run: the breaker opened, the next request put off, the failure counted. Nothing that says how far reading has come changes. */
export function stateAfterFailure(
  state: SourceState,
  error: unknown,
  { clock, inPast }: { clock: Clock; inPast: boolean },
): SourceState {
  const failures = state.failures + 1;
  if (!(error instanceof BridgeError)) return { ...state, failures };
  return {
    ...state,
    failures,
    breaker: breakerAfter(state, error, clock),
    notBefore: pauseAfter(state, error, { clock, inPast }),
  };
}

function breakerAfter(state: SourceState, error: BridgeError, clock: Clock): SourceState['breaker'] {
  const { secretVersion } = error.details;
  if (error.code !== 'CredentialsRefused' || typeof secretVersion !== 'string') return state.breaker;
  return { secretVersion, at: clock.now() };
}

function pauseAfter(
  { notBefore }: SourceState,
  { code, details }: BridgeError,
  { clock, inPast }: { clock: Clock; inPast: boolean },
): SourceState['notBefore'] {
  const pauses = notBefore?.code === code ? notBefore.pauses + 1 : 1;
  const pause = (at: number): SourceState['notBefore'] => ({ code, at, pauses });
  if (typeof details['retryAt'] === 'number') return pause(details['retryAt']);
  if (code === 'RateLimited') return pause(clock.now() + backOff(RATE_BASE_MS, pauses, clock));
  // What the second lane is refused, live work has just been given: only the second lane goes without.
  if (inPast || !SLOW_CODES.includes(code)) return null;
  return pause(clock.now() + backOff(SLOW_BASE_MS, pauses, clock));
}

/** Exponential with jitter: between half and the whole of `base * 2^(pauses - 1)`, at most an hour. */
function backOff(baseMs: number, pauses: number, clock: Clock): number {
  const most = Math.min(LONGEST_PAUSE_MS, baseMs * 2 ** Math.min(pauses - 1, 12));
  return Math.round(most * (0.5 + clock.random() / 2));
}

/** Whether a failure says when the next request may be sent, or that no login may: it holds even where nobody needed the answer. */
export function outlivesRun(error: unknown): error is BridgeError {
  if (!(error instanceof BridgeError)) return false;
  return ['RateLimited', 'CredentialsRefused'].includes(error.code) || typeof error.details['retryAt'] === 'number';
}

/** The state after a run that failed by `error`, while the page asked for ahead may have failed by another one: of two pauses the longer holds. */
export function stateAfterBoth(
  state: SourceState,
  { error, ahead }: { error: unknown; ahead: unknown },
  context: { clock: Clock; inPast: boolean },
): SourceState {
  const after = stateAfterFailure(state, error, context);
  if (ahead === error || !outlivesRun(ahead)) return after;
  const { breaker, notBefore } = stateAfterFailure(state, ahead, context);
  const isLonger = (notBefore?.at ?? 0) > (after.notBefore?.at ?? 0);
  return { ...after, breaker: breaker ?? after.breaker, notBefore: isLonger ? notBefore : after.notBefore };
}

/**
 * The state after a run without failure: whatever stood in the way is over. The breaker closes only once another version of the secret has logged in, because a
 * warm process may have done its work with an older token (S34).
 */
export function stateAfterSuccess(state: SourceState, secretVersion: string | null): SourceState {
  const isMended = secretVersion !== null && secretVersion !== state.breaker?.secretVersion;
  return { ...state, failures: 0, breaker: isMended ? null : state.breaker, notBefore: null };
}

/** Why a run does not even begin, or null. */
export function isPutOff({ notBefore }: SourceState, now: number): boolean {
  return notBefore !== null && now < notBefore.at;
}

/** A run that could not log in for a reason that only a person can mend, and did not try: it pauses, it has not failed. */
export function pauseReason(error: unknown): 'credentials-not-set' | 'credentials-refused' | null {
  if (!(error instanceof BridgeError)) return null;
  if (error.code === 'CredentialsNotSet') return 'credentials-not-set';
  return error.code === 'CredentialsRefused' && error.details['attempted'] === false ? 'credentials-refused' : null;
}
