// One login with the service, to see whether it takes credentials.
import { createTokenSource, type Credentials } from '../../membership/token.ts';
import { createTransport } from '../../membership/transport.ts';
import { BridgeError } from '../../shared/errors.ts';
import { Problem } from '../../shared/problem.ts';
import type { Clock } from '../../shared/clock.ts';

const TIMEOUT_MS = 30_000;

/**
 * Sends one login, never a second. Rejects with a Problem where the service refuses it, after `onRefused`, or does not
 * answer.
 */
export async function tryLogin(
  baseUrl: string,
  credentials: Credentials,
  { clock, onRefused }: { clock: Clock; onRefused?: () => Promise<void> },
): Promise<void> {
  const transport = createTransport({ baseUrl, clock });
  const read = async () => await Promise.resolve({ versionId: 'tried', credentials });
  try {
    await createTokenSource({ transport, clock, credentials: { read } }).token({ timeoutMs: TIMEOUT_MS });
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    if (error.code === 'CredentialsRefused') await onRefused?.();
    throw new Problem(
      error.code === 'CredentialsRefused'
        ? `${baseUrl} refuses this username or password. Too many refusals may lock the account: check both before you try again.`
        : `${baseUrl} did not say whether it takes them: ${error.message}`,
    );
  } finally {
    await transport.close();
  }
}
