// What a command does with entries in quarantine depends on why they are there.
import { Problem } from '../../shared/problem.ts';
import type { QuarantineListing } from '../../source/ports.ts';

/** Too large for the bus: its event is there, without data. The event of any other entry never was. */
export function isOversize({ reason }: Pick<QuarantineListing, 'reason'>): boolean {
  return reason === 'Oversize';
}

/** Those of the ids. Throws a Problem for an id that is not there. */
export function entriesNamed(
  eventIds: readonly string[],
  kept: readonly QuarantineListing[],
  sourceId: string,
): QuarantineListing[] {
  const unknown = eventIds.find((asked) => !kept.some(({ eventId }) => eventId === asked));
  if (unknown !== undefined) throw new Problem(`There is no entry ${unknown} of ${sourceId} in quarantine.`);
  return kept.filter(({ eventId }) => eventIds.includes(eventId));
}
