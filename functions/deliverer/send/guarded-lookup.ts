// Finds the addresses of a name for a socket, and refuses a name one of whose addresses is not of the public internet.
// The socket is opened to an address that was checked here: nothing asks for the name a second time.
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { refusalOfAddress } from '../../destinations/address-guard.ts';
import type { DestinationRules } from '../../destinations/destination.ts';
import type { Resolve } from './resolve.ts';

/** The code of the error; the log of deliveries shows it as the reason. */
export const ADDRESS_REFUSED = 'ADDRESS_REFUSED';

type Rules = Pick<DestinationRules, 'loopback'>;

/** A lookup for `net.connect` that gives only what `resolve` has found and the guard allows. */
export function createGuardedLookup(rules: Rules, resolve: Resolve): LookupFunction {
  const find = callbackify(async (name: string) => await checked(name, rules, resolve));
  return (name, { all }, done) =>
    find(name, (error, addresses) => {
      if (error !== null) return done(error, '', 0);
      const [{ address, family }] = addresses;
      return all === true ? done(null, addresses) : done(null, address, family);
    });
}

/** One refused address refuses the name: whoever mixes them hopes that the other one was looked at. */
async function checked(name: string, rules: Rules, resolve: Resolve): Promise<[LookupAddress, ...LookupAddress[]]> {
  const [first, ...rest] = await resolve(name);
  if (first === undefined) throw withCode('ENOTFOUND', `${name} has no address`);
  if ([first, ...rest].some(({ address }) => refusalOfAddress(address, rules) !== null))
    throw withCode(ADDRESS_REFUSED, `${name} has an address that is not of the public internet`);
  return [first, ...rest];
}

function withCode(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
