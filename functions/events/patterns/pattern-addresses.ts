// How EventBridge compares IP addresses: as numbers, however they are written.
import { BlockList, isIP } from 'node:net';
import { refuse } from './pattern-problem.ts';
import type { TextTest } from './pattern-texts.ts';

const BITS = { ipv4: 32, ipv6: 128 } as const;
type Family = keyof typeof BITS;

const EXAMPLE = 'Write a block such as "10.0.0.0/24" or "2001:db8::/32".';

/** Matches the addresses of a block in CIDR notation, such as `10.0.0.0/24`. */
export function cidr(block: string, path: string): TextTest {
  const [address = '', bits = '', ...more] = block.split('/');
  const family = familyOf(address);
  if (family === null || more.length > 0 || !/^\d+$/.test(bits))
    return refuse(path, `${JSON.stringify(block)}, which is not a block of addresses`, EXAMPLE);
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

/** Matches every spelling of one address; null if `wanted` is not an address. */
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
    // IPv4 addresses may be written as IPv6 (::ffff:a00:1), which BlockList understands. The reverse does not exist.
    return family !== null && (family === wanted || wanted === 'ipv4') && blocks.check(text, family);
  };
}

/** Addresses with a zone or with a dotted end are plain text for EventBridge. */
function familyOf(text: string): Family | null {
  if (isIP(text) === 4) return 'ipv4';
  return isIP(text) === 6 && /^[\da-f:]+$/i.test(text) ? 'ipv6' : null;
}
