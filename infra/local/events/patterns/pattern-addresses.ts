// How EventBridge compares IP addresses: as numbers, however they are written.
import { BlockList, isIP } from 'node:net';
import { refuse } from './pattern-problem.ts';
import type { TextTest } from './pattern-texts.ts';

const BITS = { ipv4: 32, ipv6: 128 } as const;
type Family = keyof typeof BITS;

const EXAMPLE = 'Write a block such as "10.0.0.0/24" or "2001:db8::/32".';

/** Takes the addresses of a block, which a number of leading bits marks off: `10.0.0.0/24`. */
export function cidr(block: string, path: string): TextTest {
  const [address = '', bits = '', ...more] = block.split('/');
  const family = familyOf(address);
  if (family === null || more.length > 0 || !/^\d+$/.test(bits))
    return refuse(path, `${JSON.stringify(block)}, which is no block of addresses`, EXAMPLE);
  if (Number(bits) >= BITS[family])
    return refuse(
      path,
      `a block of ${bits} bits`,
      `Write fewer than ${BITS[family]}; a single address is written as a value, ["${address}"].`,
    );
  const blocks = new BlockList();
  blocks.addSubnet(address, Number(bits), family);
  return inside(blocks, family);
}

/** Takes one address in each of its spellings; null where `wanted` is no address. */
export function sameAddress(wanted: string): TextTest | null {
  const family = familyOf(wanted);
  if (family === null) return null;
  const blocks = new BlockList();
  blocks.addAddress(wanted, family);
  return inside(blocks, family);
}

function inside(blocks: BlockList, wanted: Family): TextTest {
  return (text) => {
    const family = familyOf(text);
    // An address of version 4 may be written as one of version 6 (::ffff:a00:1), and BlockList knows; the reverse is none.
    return family !== null && (family === wanted || wanted === 'ipv4') && blocks.check(text, family);
  };
}

/** Addresses with a zone or with a dotted end are texts to EventBridge. */
function familyOf(text: string): Family | null {
  if (isIP(text) === 4) return 'ipv4';
  return isIP(text) === 6 && /^[\da-f:]+$/i.test(text) ? 'ipv6' : null;
}
