// A request with its bearer token, which is replaced once when the service refuses it.
import type { TokenSource } from './token.ts';
import type { TransportResponse } from './transport.ts';

/** What one call remembers over its retries. */
export type TokenUse = { tokenWasReplaced: boolean };

/** Sends a request with a token. After a 401 sends it once more with a new token, never with a third one (S32). */
export async function sendWithToken(
  { token, replace }: Pick<TokenSource, 'token' | 'replace'>,
  { use, leftMs, send }: { use: TokenUse; leftMs: () => number; send: (token: string) => Promise<TransportResponse> },
): Promise<TransportResponse> {
  const first = await token({ timeoutMs: leftMs() });
  const answer = await send(first);
  if (answer.status !== 401 || use.tokenWasReplaced) return answer;
  use.tokenWasReplaced = true;
  return await send(await replace(first, { timeoutMs: leftMs() }));
}
