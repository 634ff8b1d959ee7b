// The address of the service: https, or http for the loopback. Pure.
import { BridgeError } from '../shared/errors.ts';
import { isLoopback } from '../shared/loopback.ts';

type BaseUrl = {
  origin: string;
  /** Goes before every request's path; empty, or without a slash at its end. */
  prefix: string;
};

/** Reads a base URL. Throws InvalidSettings, whose message does not repeat the URL: it may hold a secret. */
export function readBaseUrl(text: string): BaseUrl {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url) throw invalid('is not a URL. Write it as https://host/path');
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw invalid('is not https. Write it as https://host/path');
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw invalid('is http to another machine, which exposes the token to everybody on the network. Use https');
  if (url.username !== '' || url.password !== '') throw invalid('holds credentials. Put them into the secret');
  if (url.search !== '' || url.hash !== '') throw invalid('holds a query or a fragment. Leave them out');
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') };
}

function invalid(problem: string): BridgeError {
  return new BridgeError('InvalidSettings', `baseUrl ${problem}.`, {
    retryable: false,
    details: { setting: 'baseUrl' },
  });
}
