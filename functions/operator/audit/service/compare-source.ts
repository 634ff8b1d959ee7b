// Compares the copy with a new reading of the service by content, because an entry's SHA-256 does not depend on its id.
import { finding, type Finding } from '../findings.ts';
import { isInPeriod, type Period, shiftDay } from '../period.ts';
import type { SourceReading } from './read-source.ts';
import type { Scan } from '../copy/scan.ts';

export type SourceComparison = {
  findings: Finding[];
  /** Entries read in the period, and how many of them the copy has. */
  read: number;
  inCopy: number;
  /** Entries so recent that they may still be in transit to the copy. */
  inTransit: number;
  /** Entries of the copy that are older than everything in the service. */
  beyondRetention: number;
  /** Entries of the copy on days that the service did not return completely. */
  notGiven: number;
  /** The spans that the service did not return. */
  gaps: SourceReading['gaps'];
  /** The time of the oldest entry in the service, ISO 8601; null if no entry has a time. */
  oldest: string | null;
};

type Entry = { id: string; day: string };

/** Compares the entries of the period; one without a time counts only if the copy has it. `now` is in ms since 1970. */
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
    inTransit: 0,
    beyondRetention: 0,
    notGiven: 0,
    gaps: reading.gaps,
    oldest: reading.oldest,
  };
  for (const { id, sha256, day } of reading.entries) {
    const inCopy = copy.get(sha256)?.pop() !== undefined;
    if (day === null ? !inCopy : !isInPeriod(day, period)) continue;
    result.read += 1;
    if (inCopy) result.inCopy += 1;
    else if (day !== null && day >= yesterday) result.inTransit += 1;
    else result.findings.push(finding('not-in-copy', id, { day }));
  }
  for (const { id, day } of [...copy.values()].flat())
    // The service may have removed a part of the day of its oldest entry.
    if (reading.oldest === null || day <= reading.oldest.slice(0, 10)) result.beyondRetention += 1;
    else if (reading.gaps.some((gap) => isInGap(day, gap))) result.notGiven += 1;
    else result.findings.push(finding('not-in-service', id, { day }));
  return result;
}

function isInGap(day: string, { from, to }: SourceReading['gaps'][number]): boolean {
  return (from === null || day >= from.slice(0, 10)) && day <= to.slice(0, 10);
}

/** The entries that the copy accounts for, by SHA-256. */
function entriesOfCopy({ sealed, unsealed }: Pick<Scan, 'sealed' | 'unsealed'>, period: Period): Map<string, Entry[]> {
  const entries = new Map<string, Entry[]>();
  const add = ({ id, day, sha256 }: Entry & { sha256: string }): void => {
    if (isInPeriod(day, period)) entries.set(sha256, [...(entries.get(sha256) ?? []), { id, day }]);
  };
  // A quarantined entry is accounted for, although it is not on the bus.
  for (const entry of sealed.entries()) if (entry.inCopy || entry.quarantined) add(entry);
  for (const line of unsealed.values()) add(line);
  return entries;
}
