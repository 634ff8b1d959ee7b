// Single odd entries: without a usable time or id, too large, refused by the bus; ids of records instead of entries;
// and entries that change after they were written.
import type { LoggedEntry } from '../../../infra/membership-service/action-log/entries.ts';
import type { Personality } from '../../../infra/membership-service/personality/personality.ts';
import type { Chance } from '../chance.ts';
import { isUnbounded } from './hostile.ts';

/**
 * Shares of entries. `recordIds` is a number of records: the id of an entry is that of one of them, so that it comes
 * again within seconds, hours and days; 0 where ids are those of the entries.
 */
export type OddShares = {
  timeless: number;
  idless: number;
  recordIds: number;
  changed: number;
  oversize: number;
  poison: number;
};

export type Oddities = {
  /** Rewrites an entry that has just been written; most are left as they are. */
  disfigure(entry: LoggedEntry): void;
  /** Changes an entry that was written before, now and then; null: none. */
  change(): { entry: LoggedEntry; before: string } | null;
};

export const POISON = 'the bus will not take this';
/** Above the limit of the simulated bus, below what an item of the table holds. */
export const BUS_LIMIT_BYTES = 24_000;

export function drawOddShares(chance: Chance, personality: Personality): OddShares {
  const { ids, continuation } = personality;
  const rarely = (share: number): number => (chance.happens(0.15) ? share : 0);
  const recordIds = ids === 'none' ? 0 : rarely(chance.pick([3, 40, 300]));
  return {
    // Time takes the place of pages where there are none: an entry without a time is then beyond reach. Without one,
    // the entries of a record are told apart by their action alone (Assumption A11).
    timeless: continuation.kind === 'none' || recordIds > 0 ? 0 : rarely(0.02),
    idless: ids === 'none' ? 0 : isReadInARun(personality) ? rarely(0.03) : rarely(0),
    recordIds,
    changed: ids === 'none' ? 0 : rarely(0.05),
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
  const records: string[] = [];
  let latest: LoggedEntry[] = [];

  const takeRecordId = (entry: LoggedEntry): void => {
    if (records.length < shares.recordIds) records.push(members.id.exec(entry.json)?.[0] ?? '');
    entry.json = entry.json.replace(members.id, () => chance.pick(records));
  };
  return {
    disfigure(entry) {
      if (shares.recordIds > 0) takeRecordId(entry);
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
      // Without an id, an entry that has changed is another one.
      if (shares.changed > 0 && members.id.test(entry.json)) latest = [...latest.slice(1 - MEMORY), entry];
    },
    change() {
      if (latest.length === 0 || !chance.happens(shares.changed)) return null;
      const entry = chance.pick(latest);
      // Once each: a second member of the same name would be another text than the one that the bridge writes.
      latest = latest.filter((other) => other !== entry);
      const before = entry.json;
      append(entry, 'correction', String(chance.between(1, 9)));
      return { entry, before };
    },
  };
}

/** Entries that may still change. */
const MEMORY = 60;

function append(entry: LoggedEntry, name: string, text: string): void {
  entry.json = entry.json.replace(/\}$/, `,"${name}":${JSON.stringify(`${text} ${entry.serial}`)}}`);
}

/** A member of the entry with its comma. */
function memberOf(name: string): RegExp {
  return new RegExp(`"${name}":(?:"[^"]*"|[^,}]*),`);
}

/** Whether an entry has a time of its own under this name. */
export function isStamped(text: string, name: string): boolean {
  return new RegExp(`"${name}":"?(?!0001)\\d{4}`).test(text);
}
