// A month's bill: units times prices, with what is always free taken off and without.
import type { Price } from './prices.ts';

export type Line<Name extends string> = {
  unit: Name;
  quantity: number;
  /** US dollars where nothing else in the account uses what is free. */
  withinFree: number;
  /** US dollars where something else in the account has used up what is free. */
  pastFree: number;
};

export type Bill<Name extends string> = { lines: Line<Name>[]; withinFree: number; pastFree: number };

/** One line for each price, in their order. Prices of one pool share its free units: the first takes what it needs, the next what is left. */
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

/** What `next` costs beyond `base`, in dollars. */
export function differenceOf<Name extends string>(
  base: Bill<Name>,
  next: Bill<Name>,
): { withinFree: number; pastFree: number } {
  return { withinFree: next.withinFree - base.withinFree, pastFree: next.pastFree - base.pastFree };
}
