// Single odd entries: without a usable time or id, too large, refused by the bus; and ids that are no ids.
import type { LoggedEntry } from '../../../infra/membership-service/action-log/entries.ts';
import type { Personality } from '../../../infra/membership-service/personality/personality.ts';
import type { Chance } from '../chance.ts';
import { isUnbounded } from './hostile.ts';

/** Shares of entries; of `sharedId` all or none: what looks like an id is the number of a group of three. */
export type OddShares = { timeless: number; idless: number; sharedId: number; oversize: number; poison: number };

export type Oddities = {
  /** Rewrites an entry that has just been written; most are left as they are. */
  disfigure(entry: LoggedEntry): void;
};

export const POISON = 'the bus will not take this';
/** Above the limit of the simulated bus, below what an item of the table holds. */
export const BUS_LIMIT_BYTES = 24_000;

export function drawOddShares(chance: Chance, personality: Personality): OddShares {
  const { ids, continuation, pages } = personality;
  const rarely = (share: number): number => (chance.happens(0.15) ? share : 0);
  return {
    // Time takes the place of pages where there are none: an entry without a time is then beyond reach.
    timeless: continuation.kind === 'none' ? 0 : rarely(0.02),
    idless: ids === 'none' ? 0 : isReadInARun(personality) ? rarely(0.03) : rarely(0),
    // A pair that no page shows together is not told apart (Assumption A9), so pages must hold several groups.
    // Identity is then by content, and a walk that is not gone on with must be bounded.
    sharedId: ids === 'none' || pages.maximum < 25 || isUnbounded(personality) ? 0 : rarely(1),
    oversize: rarely(0.004),
    poison: rarely(0.005),
  };
}

/**
 * No run resumes a walk over an entry without an id: one through a whole day, or the whole log, must end within a run.
 */
function isReadInARun(personality: Personality): boolean {
  return !isUnbounded(personality) || personality.pages.maximum >= 100;
}

export function createOddities(shares: OddShares, { fieldNames, ids }: Personality, chance: Chance): Oddities {
  const members = { id: memberOf(fieldNames.id), time: memberOf(fieldNames.time) };
  let groupId = '';

  const shareId = (entry: LoggedEntry): void => {
    const id = members.id.exec(entry.json)?.[0] ?? '';
    if (entry.serial % 3 === 1) groupId = id;
    else entry.json = entry.json.replace(members.id, () => groupId);
  };
  return {
    disfigure(entry) {
      if (shares.sharedId > 0) shareId(entry);
      if (chance.happens(shares.idless)) entry.json = entry.json.replace(members.id, '');
      if (chance.happens(shares.timeless)) {
        // Without an id, two identical ones are told apart only where one walk shows both (Assumption A11).
        if (ids === 'none') append(entry, 'mark', 'without a time');
        entry.json = entry.json.replace(
          members.time,
          `"${fieldNames.time}":${chance.pick(['null', '"soon"', '"0001-01-01T00:00:00"'])},`,
        );
      }
      if (chance.happens(shares.oversize))
        append(entry, 'oversize', 'm'.repeat(BUS_LIMIT_BYTES + chance.between(1, 500)));
      if (chance.happens(shares.poison)) append(entry, 'note', POISON);
    },
  };
}

function append(entry: LoggedEntry, name: string, text: string): void {
  entry.json = entry.json.replace(/\}$/, `,"${name}":${JSON.stringify(`${text} ${entry.serial}`)}}`);
}

/** A member of the entry with its comma. */
function memberOf(name: string): RegExp {
  return new RegExp(`"${name}":(?:"[^"]*"|[^,}]*),`);
}
