// Which requests a port on this machine answers. A web page can reach loopback by a name of its own (DNS rebinding),
// or from another origin.
import type { IncomingHttpHeaders, RequestListener } from 'node:http';

const ORIGIN_REFUSED =
  'This port answers no web page of another origin. Send the request from a program, without the header Origin.';

/** RFC 9112 wants a 400: Node takes the first one, and whatever is in front of the port may take the other. */
const TWO_HOSTS = 'This request has two headers Host. Send one.';

/** Any port: one that is forwarded has another number here than there. */
const OWN_HOST = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/i;

/** `none` for a port without pages; `own` for one whose pages may send requests to it. */
type AllowedOrigin = 'none' | 'own';

/** Passes on requests for this machine, and answers all others with 403 and a sentence. */
export function onlyOwnRequests(allowed: AllowedOrigin, listener: RequestListener): RequestListener {
  return (request, response) => {
    const hosts = request.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
    const problem = hosts.length > 1 ? TWO_HOSTS : foreignProblem(request.headers, allowed);
    if (problem === null) return listener(request, response);
    const status = problem === TWO_HOSTS ? 400 : 403;
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${problem}\n`);
  };
}

/** Why a request is refused; null if it is not. */
function foreignProblem({ host = '', origin }: IncomingHttpHeaders, allowed: AllowedOrigin): string | null {
  if (!OWN_HOST.test(host))
    return 'This port answers only under 127.0.0.1 or localhost. Write one of them in the address.';
  if (origin === undefined || (allowed === 'own' && origin === `http://${host}`)) return null;
  return ORIGIN_REFUSED;
}
