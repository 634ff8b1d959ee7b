// No figures of a bridge that does its work wrong: it would be cheap to lose entries.
import type { Summary } from '../../../infra/local/terminal/summary.ts';

/** What was not right, so that nothing is printed. */
export class NoFigures extends Error {
  override readonly name = 'NoFigures';
}

/** Throws NoFigures where an entry was lost, published twice, quarantined, or made up. */
export function assertRight({ lost, duplicates, overCounted, quarantined }: Summary): void {
  const wrong = Object.entries({ lost, duplicates, 'over-counted': overCounted, 'in quarantine': quarantined });
  const found = wrong.filter(([, count]) => count > 0).map(([name, count]) => `${name}: ${count}`);
  if (found.length > 0) throw new NoFigures(`The bridge did its work wrong (${found.join(', ')}).`);
}
