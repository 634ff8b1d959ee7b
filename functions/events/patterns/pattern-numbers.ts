// How EventBridge compares numbers: exactly, in millionths, between -5e9 and 5e9, in any notation.
import { isRawNumber } from '../../shared/json.ts';
import { refuse } from './pattern-problem.ts';
import type { Leaf, LeafTest } from './pattern-fields.ts';

const DECIMALS = 6;
/** 5e9 in millionths. */
const MAX_MILLIONTHS = 5_000_000_000_000_000n;
const RANGE = 'between -5,000,000,000 and 5,000,000,000 with at most six decimals';

/** Matches a number equal to `wanted`. If it cannot be compared as a number (an id of 16 digits), compares its text. */
export function equalsNumber(wanted: Leaf): LeafTest {
  const text = numberText(wanted);
  const number = millionthsOf(wanted);
  return (leaf) => numberText(leaf) === text || (number !== null && millionthsOf(leaf) === number);
}

type Comparison = (left: bigint, right: bigint) => boolean;

const FROM: Readonly<Record<string, Comparison>> = {
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
};
const TO: Readonly<Record<string, Comparison>> = {
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
};
const SINGLE: Readonly<Record<string, Comparison>> = { '=': (left, right) => left === right, ...FROM, ...TO };

/** `["<", 10]`, or a range: `[">", 0, "<=", 5]`. */
export function numeric(operand: unknown, path: string): LeafTest {
  if (!Array.isArray(operand) || (operand.length !== 2 && operand.length !== 4))
    return refuse(path, 'not a comparison', 'Write a list: ["<", 10], or a range: [">", 0, "<=", 5].');
  const [first, low, second, high] = operand as unknown[];
  if (operand.length === 2) return compared(toComparison(SINGLE, first, path), toLimit(low, path));
  const from = compared(toComparison(FROM, first, path), toLimit(low, path));
  const to = compared(toComparison(TO, second, path), toLimit(high, path));
  if (toLimit(low, path) >= toLimit(high, path))
    refuse(path, 'a range that ends before it starts', 'Write the smaller number first.');
  return (leaf) => from(leaf) && to(leaf);
}

function compared(compare: Comparison, limit: bigint): LeafTest {
  return (leaf) => {
    const number = millionthsOf(leaf);
    return number !== null && compare(number, limit);
  };
}

function toComparison(known: Readonly<Record<string, Comparison>>, sign: unknown, path: string): Comparison {
  const compare = typeof sign === 'string' && Object.hasOwn(known, sign) ? known[sign] : undefined;
  if (compare !== undefined) return compare;
  const place = known === SINGLE ? '' : ` ${known === FROM ? 'first' : 'second'} in a range`;
  return refuse(
    path,
    `the comparison ${JSON.stringify(sign)}${place}`,
    `Write one of ${Object.keys(known).join(' ')}.`,
  );
}

/** The number of a pattern, in millionths. */
export function toLimit(wanted: unknown, path: string): bigint {
  if (typeof wanted !== 'number' && !isRawNumber(wanted))
    return refuse(path, `${JSON.stringify(wanted)} where a number is compared`, 'Write a number, without quotes.');
  return (
    millionthsOf(wanted) ??
    refuse(path, `the number ${numberText(wanted)}, which EventBridge cannot compare`, `Write a number ${RANGE}.`)
  );
}

function numberText(leaf: Leaf): string | null {
  if (typeof leaf === 'number') return String(leaf);
  return isRawNumber(leaf) ? leaf.rawJSON : null;
}

/** A number in millionths; null if it has more decimals, is out of range or is not a number. */
function millionthsOf(leaf: Leaf): bigint | null {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(numberText(leaf) ?? '');
  if (parts === null) return null;
  const [, sign, whole = '', fraction = '', exponent = '0'] = parts;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return 0n;
  const shift = Number(exponent) - fraction.length + digits.length - significant.length + DECIMALS;
  // More digits than 5e15 has are out of range, so the power of ten stays small.
  if (shift < 0 || significant.length + shift > 16) return null;
  const size = BigInt(significant) * 10n ** BigInt(shift);
  return size > MAX_MILLIONTHS ? null : sign === '-' ? -size : size;
}
