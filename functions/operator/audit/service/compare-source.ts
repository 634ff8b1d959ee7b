// The copy against a new reading of the service, by content: whichever id an entry was given, its SHA-256 is the same.
import { finding, type Finding } from '../findings.ts';
import { isInPeriod, type Period, shiftDay } from '../period.ts';
import type { SourceReading } from './read-source.ts';
import type { Scan } from '../copy/scan.ts';

export type SourceComparison = {
  findings: Finding[];
  /** Entries read in the period, and how many of them the copy has. */
  read: number;
  inCopy: number;
  /** Of days so recent that they may still be on their way into the copy. */
  onTheWay: number;
  /** Entries of the copy older than all that the service still has. */
  beyondRetention: number;
  /** Entries of the copy on days of which the service did not give everything this time. */
  notGiven: number;
  /** The spans that it did not give. */
  gaps: SourceReading['gaps'];
  /** From when on the service still has entries, ISO 8601; null where it gave none with a time. */
  oldest: string | null;
};

type Entry = { id: string; day: string };

/** `now` is in ms since 1970. Entries of the period alone are compared; of the service's without a time, those that the copy does not have are left out. */
export function compareWithSource(
  scan: Pick<Scan, 'sealed' | 'unsealed'>,
  reading: SourceReading,
  { period, now }: { period: Period; now: number },
): SourceComparison {
  const copy = entriesOfCopy(scan, period);
  const yesterday = shiftDay(new Date(now).toISOString().slice(0, 10), -1);
  const result: SourceComparison = {
    findings: [],
    read: 0,
    inCopy: 0,
    onTheWay: 0,
    beyondRetention: 0,
    notGiven: 0,
    gaps: reading.gaps,
    oldest: reading.oldest,
  };
  for (const { id, sha256, day } of reading.entries) {
    const met = copy.get(sha256)?.pop() !== undefined;
    if (day === null ? !met : !isInPeriod(day, period)) continue;
    result.read += 1;
    if (met) result.inCopy += 1;
    else if (day !== null && day >= yesterday) result.onTheWay += 1;
    else result.findings.push(finding('not-in-copy', id, { day }));
  }
  for (const { id, day } of [...copy.values()].flat())
    // Of the day of its oldest entry, the service may have lost a part.
    if (reading.oldest === null || day <= reading.oldest.slice(0, 10)) result.beyondRetention += 1;
    else if (reading.gaps.some((gap) => isInGap(day, gap))) result.notGiven += 1;
    else result.findings.push(finding('not-in-service', id, { day }));
  return result;
}

function isInGap(day: string, { from, to }: SourceReading['gaps'][number]): boolean {
  return (from === null || day >= from.slice(0, 10)) && day <= to.slice(0, 10);
}

/** What the copy accounts for, by content; as often as it has it. */
function entriesOfCopy({ sealed, unsealed }: Pick<Scan, 'sealed' | 'unsealed'>, period: Period): Map<string, Entry[]> {
  const entries = new Map<string, Entry[]>();
  const add = ({ id, day, sha256 }: Entry & { sha256: string }): void => {
    if (isInPeriod(day, period)) entries.set(sha256, [...(entries.get(sha256) ?? []), { id, day }]);
  };
  // A quarantined entry is accounted for, though it is not on the bus.
  for (const entry of sealed.entries()) if (entry.met || entry.quarantined) add(entry);
  for (const line of unsealed.values()) add(line);
  return entries;
}
