// I7: a continuation is only ever sent with the very parameters it came with, byte for byte, and never a blank one.
import type { Query } from '../../../functions/membership/query.ts';
import type { TransportRequest, TransportResponse } from '../../../functions/membership/transport.ts';
import type { Personality } from '../../../infra/membership-service/personality/personality.ts';
import type { Violation } from './violation.ts';

export type ContinuationCheck = {
  onRequest(request: TransportRequest): void;
  onResponse(request: TransportRequest, response: TransportResponse): void;
};

export function createContinuationCheck(
  { place }: Personality['continuation'],
  onViolation: (violation: Violation) => void,
): ContinuationCheck {
  const givenFor = new Map<string, string>();
  const complain = (what: string): void => onViolation({ invariant: 'I7 continuations kept', what });
  return {
    onRequest(request) {
      const sent = continuationIn(request);
      if (sent === undefined) return;
      const parameters = givenFor.get(sent);
      if (sent.trim() === '' || sent === 'null') complain('a blank continuation is sent');
      else if (parameters === undefined) complain('a continuation is sent that the service has not given');
      else if (parameters !== othersIn(request))
        complain('a continuation is sent with other parameters than it came with');
    },
    onResponse(request, response) {
      const given = place.in === 'header' ? response.headers[place.name] : memberOf(response.text, place.name);
      if (typeof given === 'string') givenFor.set(given, othersIn(request));
    },
  };
}

/** A query as pairs, however it was given. */
export function pairsOf(query: Query): [string, string][] {
  const pairs = Array.isArray(query) ? (query as [string, string][]) : Object.entries(query);
  return pairs.map(([name, value]): [string, string] => [name, value]);
}

function continuationIn({ query = [] }: TransportRequest): string | undefined {
  return pairsOf(query).find(([name]) => name === 'requestContinuation')?.[1];
}

function othersIn({ query = [] }: TransportRequest): string {
  return JSON.stringify(pairsOf(query).filter(([name]) => name !== 'requestContinuation'));
}

/** The last member of the body, where the local membership service puts its continuation. */
function memberOf(text: string, name: string): unknown {
  const start = text.lastIndexOf(`,"${name}":`);
  if (start < 0 || !text.endsWith('}')) return undefined;
  try {
    return JSON.parse(text.slice(start + name.length + 4, -1));
  } catch {
    // An answer that was cut on its way.
    return undefined;
  }
}
