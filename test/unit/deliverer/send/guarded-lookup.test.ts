import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGuardedLookup } from '../../../../functions/deliverer/send/guarded-lookup.ts';
import type { Resolve } from '../../../../functions/deliverer/send/resolve.ts';
import { SPECIAL_IPV4, SPECIAL_IPV6 } from '../../../../functions/destinations/special-ranges.ts';

const PUBLIC = ['8.8.8.8', '1.1.1.1', '2606:4700::1111'];
const BLOCKS = [...SPECIAL_IPV4, ...SPECIAL_IPV6, '::1/128', '::ffff:7f00:1/128', '64:ff9b::/96', 'fe80::/10', '::/96'];
const SPECIAL = BLOCKS.map((block) => block.slice(0, block.indexOf('/')));

const found = (addresses: readonly string[]) =>
  addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
/** What `net.connect` gets: the error, or the addresses. */
const looked = async (resolve: Resolve, all: boolean): Promise<unknown[]> =>
  await new Promise((done) => {
    const lookup = createGuardedLookup({ loopback: false }, resolve);
    lookup('hook.example', { all }, (...answer) => done(answer));
  });

describe('the lookup of a socket', () => {
  it('refuses a name one of whose addresses is refused, wherever it stands', async () => {
    const lists = fc
      .tuple(fc.shuffledSubarray(PUBLIC), fc.constantFrom(...SPECIAL), fc.nat(3))
      .map(([others, special, at]) => others.toSpliced(at, 0, special));
    await fc.assert(
      fc.asyncProperty(lists, fc.boolean(), async (addresses, all) => {
        expect(await looked(async () => found(addresses), all)).toMatchObject([{ code: 'ADDRESS_REFUSED' }, '', 0]);
      }),
    );
  });

  it('gives what it has checked: all addresses, or the first one', async () => {
    const resolve: Resolve = async () => found(PUBLIC);
    expect(await looked(resolve, true)).toEqual([null, found(PUBLIC)]);
    expect(await looked(resolve, false)).toEqual([null, '8.8.8.8', 4]);
  });

  it.each([
    ['has no address', async () => [], 'ENOTFOUND'],
    ['is not found', async () => Promise.reject(Object.assign(new Error('DNS'), { code: 'ETIMEOUT' })), 'ETIMEOUT'],
  ] as const)('fails with the code for a name that %s', async (_what, resolve, code) => {
    expect(await looked(resolve, true)).toMatchObject([{ code }, '', 0]);
  });
});
