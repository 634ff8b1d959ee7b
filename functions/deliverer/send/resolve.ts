// Finds the addresses of a name by DNS. The system's own lookup has four threads for the whole process: a few names
// whose servers do not answer would hold up every other destination, and the calls to AWS.
import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';

export type Resolve = (name: string) => Promise<LookupAddress[]>;

/** Of both queries together, less than an attempt takes: 1 s, and 2 s for the second try. */
const LIMITS = { timeout: 1_000, tries: 2 };

/** All addresses, those of IPv4 first: few networks of ours have IPv6. Rejects with the code of the first failure. */
export function createResolve({ servers }: { servers?: readonly string[] } = {}): Resolve {
  const resolver = new Resolver(LIMITS);
  if (servers !== undefined) resolver.setServers(servers);
  return async (name) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
    const of = (result: PromiseSettledResult<string[]>, family: number): LookupAddress[] =>
      result.status === 'rejected' ? [] : result.value.map((address) => ({ address, family }));
    return [...of(v4, 4), ...of(v6, 6)];
  };
}
