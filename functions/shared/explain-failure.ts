// Why the service could not be read, in a line for whoever waits at a terminal: what happened, and what to do.
import { printable } from './printable.ts';

/** Those of a BridgeError, perhaps after a way as JSON. */
type Details = Readonly<Record<string, unknown>>;

/** The message of an error tells what a deployed bridge does next. At a terminal nothing is retried. */
export function explainFailure({
  code,
  message,
  details = {},
}: {
  code: string | undefined;
  message: string;
  details?: Details | undefined;
}): string {
  const known = EXPLAINED[code ?? '']?.(details) ?? null;
  const said = printable(message.split('\n', 1)[0] ?? '').replace(
    / The bridge retries later\.(?: If this lasts, check baseUrl and the network\.)?/,
    '',
  );
  return known ?? [said, ADVICE[code ?? ''] ?? ''].join(' ').trim();
}

const UP_AND_RIGHT = 'Check that the service is up and that baseUrl is right, and start again.';

const ADVICE: Readonly<Record<string, string>> = {
  PermissionDenied: 'Use an admin user who may read the action log.',
  ServiceUnavailable: UP_AND_RIGHT,
  ServiceTimeout: UP_AND_RIGHT,
};

/** By code: what happened and what to do. Null where the error's own message says it. */
const EXPLAINED: Readonly<Record<string, (details: Details) => string | null>> = {
  CredentialsRefused: () =>
    'The service refused the username or the password. Check username and password (MEMBERSHIP_USERNAME and MEMBERSHIP_PASSWORD, if they are set) and start again.',
  RedirectRefused: ({ host }) =>
    typeof host === 'string'
      ? `The service answered with a redirect to ${printable(host)}, which is not followed. If that is the host of the service, set baseUrl to it and start again.`
      : `The service answered with a redirect to another of its pages, which is not followed. Probably baseUrl is the address of a web site. Correct it and start again.`,
  ResponseInvalid: ({ reason }) =>
    reason === 'HTML or XML'
      ? 'The service answered with a web page instead of JSON. Probably baseUrl is the address of a web site, not of the interface. Correct it and start again.'
      : null,
  ServiceUnavailable: ({ reason }) => (typeof reason === 'string' ? aboutTls(reason) : null),
};

/** The codes of Node and OpenSSL for a certificate that is not accepted, or for no TLS at all. */
const OF_CERTIFICATE = /^(?:CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?:GET|VERIFY)_|HOSTNAME_MISMATCH)/;

function aboutTls(reason: string): string | null {
  if (OF_CERTIFICATE.test(reason))
    return `The certificate of the service is not accepted (${reason}), so nothing was sent. Here and on AWS the bridge needs one of a public authority, valid for the host in baseUrl. Correct baseUrl or the certificate and start again.`;
  if (reason.startsWith('ERR_SSL_'))
    return `There is no TLS at the address in baseUrl (${reason}), so nothing was sent. Correct host and port and start again.`;
  return null;
}
