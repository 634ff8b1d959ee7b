// Finds the addresses of a name for a socket, and refuses a name one of whose addresses is not of the public internet.
// The socket is opened to an address that was checked here: nothing asks for the name a second time.
import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { refusalOfAddress } from '../../destinations/address-guard.ts';
import type { DestinationRules } from '../../destinations/destination.ts';

/** The code of the error; the log of deliveries shows it as the reason. */
export const ADDRESS_REFUSED = 'ADDRESS_REFUSED';

type Resolve = (name: string, found: (error: Error | null, addresses: LookupAddress[]) => void) => void;

const resolveBySystem: Resolve = (name, found) => systemLookup(name, { all: true }, found);

/** `resolve` finds all addresses of a name; by default the system does. */
export function createGuardedLookup(
  rules: Pick<DestinationRules, 'loopback'>,
  resolve: Resolve = resolveBySystem,
): LookupFunction {
  return (name, options, done) => {
    resolve(name, (error, addresses) => {
      const refused = error ?? refusalOfAll(name, addresses, rules);
      const [first] = addresses ?? [];
      if (refused !== null || first === undefined) return done(refused ?? new Error(`${name} has no address`), '', 0);
      if (options.all === true) return done(null, addresses);
      return done(null, first.address, first.family);
    });
  };
}

/** One refused address refuses the name: whoever mixes them hopes that the other one was looked at. */
function refusalOfAll(
  name: string,
  addresses: readonly LookupAddress[],
  rules: Pick<DestinationRules, 'loopback'>,
): Error | null {
  const isRefused = addresses.some(({ address }) => refusalOfAddress(address, rules) !== null);
  if (!isRefused) return null;
  return Object.assign(new Error(`${name} has an address that is not of the public internet`), {
    code: ADDRESS_REFUSED,
  });
}
