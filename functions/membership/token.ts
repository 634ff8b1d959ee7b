// The bearer token: who logs in, when, and how often at most.
import type { Clock } from '../shared/clock.ts';
import { BridgeError } from '../shared/errors.ts';
import { requestToken, type IssuedToken } from './token-request.ts';
import type { Transport } from './transport.ts';

export type Credentials = { username: string; password: string };

export type CredentialsReader = {
  /**
   * Reads the current version of the secret with its version id. `credentials` is null while the secret holds its placeholder.
   * Rejects with CredentialsUnreadable.
   */
  read(): Promise<{ versionId: string; credentials: Credentials | null }>;
};

/** Awaited before each HTTP request is sent: a place to count it, to wait, or to throw. */
export type OnRequest = (kind: 'token' | 'api') => void | Promise<void>;

export type TokenSource = {
  /**
   * The token, from memory while it is young enough, else by a login; callers at the same time share one login. `timeoutMs` bounds a login of one's own. Rejects with
   * CredentialsNotSet, CredentialsUnreadable, CredentialsRefused (details.secretVersion, details.attempted: whether a login was sent), and what a request may fail with.
   */
  token(options: { timeoutMs: number }): Promise<string>;
  /** A token other than `badToken`, which the service has refused: one that has come since, else by a login with the secret read anew. */
  replace(badToken: string, options: { timeoutMs: number }): Promise<string>;
  /** Version of the secret last read; null before that. */
  secretVersion(): string | null;
};

type Options = {
  transport: Transport;
  credentials: CredentialsReader;
  clock: Clock;
  /** The version of the secret that the service is known to have refused: no login is sent with it. */
  refusedVersion?: () => string | null;
  onRequest?: OnRequest;
};

/** Where no new token is to be had for the moment, a token not yet expired is used, and a new one asked for again after this time. */
const RENEWAL_PAUSE_MS = 60_000;

/** Creates the source of one service's tokens. They live in its memory only. */
export function createTokenSource(options: Options): TokenSource {
  const { clock } = options;
  const login = createLogin(options);
  let held: IssuedToken | null = null;
  let inFlight: Promise<string> | null = null;

  const renew = async (timeoutMs: number): Promise<string> => {
    const issued = await login.logIn(timeoutMs);
    held = issued;
    return issued.value;
  };
  const renewOnce = (timeoutMs: number): Promise<string> => {
    inFlight ??= renew(timeoutMs).finally(() => {
      inFlight = null;
    });
    return inFlight;
  };
  return {
    async token({ timeoutMs }) {
      const old = held;
      if (old && clock.now() < old.renewAt) return old.value;
      try {
        return await renewOnce(timeoutMs);
      } catch (error) {
        if (!old || clock.now() >= old.expiresAt || !isPassing(error)) throw error;
        held = { ...old, renewAt: clock.now() + RENEWAL_PAUSE_MS };
        return old.value;
      }
    },
    async replace(badToken, { timeoutMs }) {
      if (held && held.value !== badToken) return held.value;
      held = null;
      return await renewOnce(timeoutMs);
    },
    secretVersion: () => login.secretVersion(),
  };
}

function isPassing(error: unknown): boolean {
  return error instanceof BridgeError && (error.code === 'ServiceUnavailable' || error.code === 'ServiceTimeout');
}

type Secret = { versionId: string; credentials: Credentials };

/**
 * Logs in with the secret as it is now, at most once per version that is refused: many services lock an account after a few refusals (S34). A refusal is only final
 * when the secret, read once more, still has the version that was refused (S35).
 */
function createLogin(options: Options): {
  logIn(timeoutMs: number): Promise<IssuedToken>;
  secretVersion(): string | null;
} {
  let version: string | null = null;
  let refused: string | null = null;

  const isRefused = (versionId: string): boolean => {
    const known = options.refusedVersion?.() ?? null;
    // From here on the caller remembers it, and may forget it when an operator says so.
    if (known === refused) refused = null;
    return versionId === known || versionId === refused;
  };
  const readSecret = async (): Promise<Secret> => {
    const { versionId, credentials } = await options.credentials.read();
    version = versionId;
    if (credentials === null) throw credentialsNotSet(versionId);
    if (isRefused(versionId)) throw credentialsRefused(versionId, { attempted: false });
    return { versionId, credentials };
  };
  const attempt = async (secret: Secret, deadlineAt: number): Promise<IssuedToken | null> => {
    await options.onRequest?.('token');
    const issued = await requestToken(options, secret.credentials, deadlineAt - options.clock.now());
    if (issued === 'refused') refused = secret.versionId;
    return issued === 'refused' ? null : issued;
  };
  return {
    async logIn(timeoutMs) {
      const deadlineAt = options.clock.now() + timeoutMs;
      const secret = await readSecret();
      const issued = await attempt(secret, deadlineAt);
      if (issued) return issued;
      const current = await options.credentials.read().catch(() => secret);
      if (current.versionId === secret.versionId) throw credentialsRefused(secret.versionId, { attempted: true });
      const rotated = await readSecret();
      const again = await attempt(rotated, deadlineAt);
      if (!again) throw credentialsRefused(rotated.versionId, { attempted: true });
      return again;
    },
    secretVersion: () => version,
  };
}

function credentialsNotSet(secretVersion: string): BridgeError {
  return new BridgeError(
    'CredentialsNotSet',
    'The secret still holds its placeholder. Write the username and password of an admin user of the service into it.',
    { retryable: false, details: { secretVersion } },
  );
}

function credentialsRefused(secretVersion: string, { attempted }: { attempted: boolean }): BridgeError {
  const done = attempted ? 'The service refused the username or the password' : 'No login was sent: these were refused';
  return new BridgeError('CredentialsRefused', `${done}. Write the right ones into the secret as a new version.`, {
    retryable: false,
    details: { secretVersion, attempted },
  });
}
