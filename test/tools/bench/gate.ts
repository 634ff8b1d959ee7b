// Refuses figures of runs with a wrong result.
import type { Summary } from '../../../infra/local/terminal/summary.ts';

/** The result was wrong, so that nothing is printed. */
export class NoFigures extends Error {
  override readonly name = 'NoFigures';
}

/** Throws NoFigures if an entry was lost, duplicated, quarantined, or over-counted. */
export function assertRight({ lost, duplicates, overCounted, quarantined }: Summary): void {
  const wrong = Object.entries({ lost, duplicates, 'over-counted': overCounted, 'in quarantine': quarantined });
  const found = wrong.filter(([, count]) => count > 0).map(([name, count]) => `${name}: ${count}`);
  if (found.length > 0) throw new NoFigures(`The bridge did its work wrong (${found.join(', ')}).`);
}
