// What a run of the schedule does for ticks: it sends those of the next two minutes, and leaves what they compare with.
import type { PeekBase } from '../../source/state.ts';
import type { Run } from '../run.ts';
import { peekBaseOf } from './peek.ts';
import { slotsToSend } from './slots.ts';

/** The ticks until the next runs. A queue that fails costs only time: the next run reads what ticks would have. */
export async function sendTicks({ record, context }: Pick<Run, 'record' | 'context'>): Promise<void> {
  const { settings, clock, ticks, log } = context;
  const { tickMs, sourceId } = settings;
  if (ticks === null || tickMs === null) return;
  const { peek, ticksUntil } = record.state;
  // Nothing to compare with: a tick would only begin a run that another one has just begun.
  if (peek === undefined) return;
  const now = clock.now();
  const slots = slotsToSend({ tickMs, ticksUntil, now });
  try {
    await ticks.send(
      slots.map((slot) => ({ sourceId, slot })),
      now,
    );
    record.commit({ ticksUntil: slots.at(-1) ?? ticksUntil });
  } catch (error) {
    log.warn('Ticks were not sent; until the next run nobody asks for new entries.', { error });
  }
}

/** Ticks are taken under the settings that they compare with: if a run has other ones, they wait for a whole sweep. */
export function peekUnder({ record, context }: Pick<Run, 'record' | 'context'>): PeekBase | undefined {
  const { peek } = record.state;
  return JSON.stringify(peek?.settings) === JSON.stringify(context.settings) ? peek : undefined;
}

/**
 * What the next ticks compare with; none for a service whose first page never shows what is new, and none after a run
 * that a tick began for nothing: where an entry differs at every read, each tick would begin another.
 */
export function nextPeek({
  record,
  context,
  met,
  counts,
}: Pick<Run, 'record' | 'context' | 'met' | 'counts'>): PeekBase | undefined {
  const { settings, functionVersion } = context;
  const { state } = record;
  if (settings.tickMs === null || met.hidesNewest()) return undefined;
  if (context.isForNew && counts.eventsPublished + counts.quarantined === 0) return undefined;
  return peekBaseOf(met.newest(), { state, settings, functionVersion });
}
