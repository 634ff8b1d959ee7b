// The sweep that reads the span of a backfill.
import type { SourceSettings } from '../../source/settings.ts';
import type { BackfillSpan, Sweep } from '../../source/state.ts';
import { newSweep, type NewSweep } from '../sweep/levels.ts';

/**
 * The sweep of a backfill. It asks for more on both sides by the reconcile look-back, because a filter may exclude its
 * bound, compare whole days or read it in another zone; `isBackfilled` leaves out what is not asked for.
 */
export function beginBackfill(
  { id, from, to }: BackfillSpan,
  { lookbackMs }: Pick<SourceSettings, 'lookbackMs'>,
  sweep: NewSweep,
): Sweep {
  const window = { from: from - lookbackMs.reconcile, to: to + lookbackMs.reconcile };
  return { ...newSweep('backfill', window, sweep), backfill: { id, from, to } };
}
