// Logins with a secret that several sources may share. What is stored of them lies in one item per secret, so that all
// of them together send a wrong password as often as one source does (S34).
import { credentialsRefused } from '../membership/token.ts';
import { BridgeError } from '../shared/errors.ts';
import {
  markBefore,
  refusedVersionAt,
  withAnotherLogin,
  withRefusal,
  withRefusalOfCommand,
  withSuccess,
} from './first-login.ts';
import type { SharedLoginStore } from './ports.ts';
import type { SharedLogins } from './state.ts';

/** No run is longer, so one that began its login before has died in it. */
const TURN_MS = 60_000;

type Asked = { secretVersion: string; sourceId: string; now: number };

/** Whether a run may just be waiting for the answer to a login with this version. */
export function isUnderWay({ turn }: SharedLogins, { secretVersion, now }: Omit<Asked, 'sourceId'>): boolean {
  return turn?.secretVersion === secretVersion && now - turn.at < TURN_MS;
}

/**
 * What a source stores before its login: its turn, with the mark of a version that has not logged in yet. `free`: the
 * service has accepted this version since `since`, so nothing need be stored; `underWay`: another source logs in.
 * Throws CredentialsRefused or LoginUnresolved where none may follow yet.
 */
export function takeTurn(stored: SharedLogins, asked: Asked & { since: number }): SharedLogins | 'free' | 'underWay' {
  const { secretVersion, sourceId, now, since } = asked;
  const { login } = stored;
  if (isUnderWay(stored, asked)) return 'underWay';
  if (refusedVersionAt(stored, now) === secretVersion) throw credentialsRefused(secretVersion, { attempted: false });
  if (login?.secretVersion === secretVersion && login.isProven && login.at >= since) return 'free';
  const mark = markBefore(stored, { secretVersion, now, marked: null });
  const turn = { secretVersion, by: sourceId, at: now };
  return { ...stored, ...(mark !== null && { login: { ...mark, by: sourceId } }), turn };
}

/** The item once the service has accepted a login. Another source's turn stays. */
export function withSharedSuccess(stored: SharedLogins, asked: Asked): SharedLogins {
  const { login, breaker } = stored;
  const { secretVersion, now } = asked;
  const isKnown = login?.secretVersion === secretVersion && login.isProven && breaker === null;
  // What was free to log in changes nothing.
  if (isKnown && !isTurnOf(stored, asked)) return stored;
  return withoutTurn({ ...stored, ...withSuccess(stored, secretVersion, now), breaker: null }, asked);
}

/** The item once the service has refused a login. One without a turn, of a command too, is one more. */
export function withSharedRefusal(stored: SharedLogins, asked: Asked): SharedLogins {
  const { secretVersion, sourceId, now } = asked;
  const counted = isTurnOf(stored, asked)
    ? withRefusal(stored, secretVersion, now)
    : withRefusalOfCommand(stored, secretVersion, now);
  const login = counted.login && { ...counted.login, by: sourceId };
  return withoutTurn({ ...counted, login, breaker: { secretVersion, at: now } }, asked);
}

/** The item once a run ends whose login the service did not answer: it does not count. `before`: without its turn. */
export function withoutAnswer(stored: SharedLogins, asked: Asked, before: SharedLogins): SharedLogins {
  return isTurnOf(stored, asked) ? withoutTurn({ ...stored, login: before.login }, asked) : stored;
}

/** The item in which the next run may log in, whatever became of the present version. */
export function withSharedLoginAllowed({ turn: _over, ...stored }: SharedLogins): SharedLogins {
  return withAnotherLogin(stored);
}

/** For a run that leaves the login to another source. */
export function underWay(secretVersion: string): BridgeError {
  const message = 'Another source is logging in with the same secret. The next run goes on from what it learns.';
  return new BridgeError('LoginUnresolved', message, {
    retryable: true,
    details: { secretVersion, isUnderWay: true },
  });
}

const MAX_ATTEMPTS = 5;

/**
 * Changes the item of a secret, from what is known of it or what is read; a change that returns its argument writes
 * nothing. Resolves to what it is then. Rejects with StateUnavailable.
 */
export async function changeLogins(
  store: SharedLoginStore,
  secretArn: string,
  change: (stored: SharedLogins) => SharedLogins,
  known?: Awaited<ReturnType<SharedLoginStore['read']>>,
): Promise<SharedLogins> {
  for (let attempt = 1, read = known; attempt <= MAX_ATTEMPTS; attempt += 1, read = undefined) {
    const { logins, token } = read ?? (await store.read(secretArn));
    const next = change(logins);
    if (next === logins || (await store.replace(secretArn, token, next)) !== null) return next;
  }
  const message = `The logins with the secret ${secretArn} are written by too many at once. The next attempt may succeed.`;
  throw new BridgeError('StateUnavailable', message, { retryable: true });
}

function isTurnOf({ turn }: SharedLogins, { secretVersion, sourceId }: Asked): boolean {
  return turn?.secretVersion === secretVersion && turn.by === sourceId;
}

function withoutTurn(stored: SharedLogins, asked: Asked): SharedLogins {
  const { turn: _over, ...rest } = stored;
  return isTurnOf(stored, asked) ? rest : stored;
}
