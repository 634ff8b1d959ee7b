// The bill of a month: units times prices, with and without the free units.
import type { Price } from './prices.ts';

export type Line<Name extends string> = {
  unit: Name;
  quantity: number;
  /** US dollars if nothing else in the account uses the free units. */
  withinFree: number;
  /** US dollars if the rest of the account uses the free units. */
  pastFree: number;
};

export type Bill<Name extends string> = { lines: Line<Name>[]; withinFree: number; pastFree: number };

/** One line per price, in order. Prices of a pool share its free units, the first price first. */
export function billOf<Name extends string>(
  units: Readonly<Record<Name, number>>,
  prices: Readonly<Record<Name, Price>>,
): Bill<Name> {
  const left = new Map<string, number>();
  const lines = (Object.entries(prices) as [Name, Price][]).map(([unit, price]): Line<Name> => {
    const quantity = units[unit];
    const freeUnits = takeFree(left, price, quantity);
    const dollars = (count: number): number => (count * price.usd) / price.per;
    return { unit, quantity, withinFree: dollars(quantity - freeUnits), pastFree: dollars(quantity) };
  });
  const total = (column: 'withinFree' | 'pastFree'): number => lines.reduce((sum, line) => sum + line[column], 0);
  return { lines, withinFree: total('withinFree'), pastFree: total('pastFree') };
}

function takeFree(left: Map<string, number>, { free }: Price, wanted: number): number {
  if (free === null) return 0;
  const available = left.get(free.pool) ?? free.units;
  const taken = Math.min(available, wanted);
  left.set(free.pool, available - taken);
  return taken;
}

/** The dollars that `next` costs more than `base`. */
export function differenceOf<Name extends string>(
  base: Bill<Name>,
  next: Bill<Name>,
): { withinFree: number; pastFree: number } {
  return { withinFree: next.withinFree - base.withinFree, pastFree: next.pastFree - base.pastFree };
}
