// Compares the open days of the copy with the audit trail in the state table.
import type { TrailRecord } from '../../../source/ports.ts';
import { finding, type Finding } from '../findings.ts';
import { isInPeriod, type Period, shiftDay } from '../period.ts';
import type { Scan, UnsealedLine } from '../copy/scan.ts';

const HOUR_MS = 3_600_000;
/** EventBridge and Firehose retry for a day. */
const DELIVERY_MS = 24 * HOUR_MS;
/** An entry is in the trail seconds after it is on the bus, or after a crash with the next sweep that reads it. */
const TRAIL_MS = HOUR_MS;

/** The trail before and after the copy was read: a sealer may remove entries in between. */
export type Trails = { before: readonly TrailRecord[]; after: readonly TrailRecord[] };

export type OpenDays = {
  findings: Finding[];
  /** Accepted by the bus and not in the copy, but delivery may still be retried. */
  inTransit: number;
  quarantined: number;
};

/** `nextDay` is the first open day, `now` is in ms since 1970; days.ts explains `isClaimed`. */
export function checkOpenDays(
  { unsealed, sealed }: Pick<Scan, 'unsealed' | 'sealed'>,
  trails: Trails,
  {
    period,
    nextDay,
    now,
    isClaimed,
  }: { period: Period; nextDay: string | null; now: number; isClaimed: (line: UnsealedLine) => boolean },
): OpenDays {
  const isOpenDay = (day: string): boolean => isInPeriod(day, period) && (nextDay === null || day >= nextDay);
  const known = byPair([...trails.before, ...trails.after]);
  const open: OpenDays = { findings: [], inTransit: 0, quarantined: 0 };
  for (const [pair, { id, sha256, day, quarantined }] of byPair(trails.before)) {
    const isThere = unsealed.has(pair) || sealed.withId(id).some((entry) => entry.sha256 === sha256 && entry.inCopy);
    if (!isOpenDay(day) || isThere) continue;
    if (quarantined) open.quarantined += 1;
    else if (now < Date.parse(`${shiftDay(day, 1)}T00:00:00Z`) + DELIVERY_MS) open.inTransit += 1;
    else open.findings.push(finding('open-line-missing', id, { day }));
  }
  for (const [pair, line] of unsealed) {
    const { id, day, observedAt, place } = line;
    const isInTrail = known.has(pair) || Date.parse(observedAt) >= now - TRAIL_MS;
    if (isOpenDay(day) && !isInTrail && isClaimed(line))
      open.findings.push(finding('open-line-added', id, { day, place }));
  }
  return open;
}

/** Records by id and SHA-256; of several records of an entry, one that is not quarantined. */
export function byPair(records: readonly TrailRecord[]): Map<string, TrailRecord> {
  const found = new Map<string, TrailRecord>();
  for (const record of records) {
    const pair = `${record.id} ${record.sha256}`;
    const other = found.get(pair);
    if (other === undefined || other.quarantined) found.set(pair, record);
  }
  return found;
}
