// The first login with a version of the secret: it is marked before it is sent, so that a run that dies in it is not
// followed by others that send a wrong password again and lock the account (S34).
import { BridgeError } from '../shared/errors.ts';
import { type LoginMark, SLOW_CODES, type SourceState } from './state.ts';

/**
 * The mark to store before a login with this version; null where none is needed. `marked`: the version that this run
 * has marked. Throws LoginUnresolved for the mark of a run that died.
 */
export function markBefore(
  login: LoginMark | undefined,
  { secretVersion, now, marked }: { secretVersion: string; now: number; marked: string | null },
): LoginMark | null {
  if (login?.secretVersion !== secretVersion) return { secretVersion, at: now, isProven: false };
  if (login.isProven || marked === secretVersion) return null;
  throw new BridgeError(
    'LoginUnresolved',
    'A run ended during the first login with this version of the secret, so nobody knows whether the service accepted it. ' +
      'No login is sent until you allow one: membership-bridge credentials reset.',
    { retryable: false, details: { secretVersion, at: login.at } },
  );
}

/** The mark at the end of a run that lived to tell: without a success, the next run may try again. */
export function markAfter(login: LoginMark | undefined, marked: string | null): LoginMark | undefined {
  return login?.isProven === false && login.secretVersion === marked ? undefined : login;
}

/**
 * The state in which the next run may log in with the present version of the secret, whatever became of it. A time that
 * the service named stays, such as that of a 429.
 */
export function withLoginAllowed({ login, ...state }: SourceState): SourceState {
  const kept = login?.isProven === true && state.breaker === null ? { login } : {};
  const loginsAllowed = (state.loginsAllowed ?? 0) + 1;
  const notBefore = SLOW_CODES.includes(state.notBefore?.code ?? '') ? null : state.notBefore;
  return { ...state, ...kept, loginsAllowed, breaker: null, notBefore };
}
