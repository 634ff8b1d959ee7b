// Day by day: what was sealed and is not there, and what is there and was never sealed.
import type { TrailRecord } from '../../../source/ports.ts';
import type { Chain } from './chain.ts';
import { finding, type Finding } from '../findings.ts';
import type { ManifestCheck } from './manifests.ts';
import { isInPeriod, type Period, shiftDay } from '../period.ts';
import { isWhole } from './removed-by-age.ts';
import type { Scan, UnsealedLine } from '../copy/scan.ts';

/** What is counted of the days, and proves nothing by itself. */
export type DayTally = {
  /** Of the period, by their checkpoints. */
  sealedDays: number;
  emptyDays: number;
  amendments: number;
  firstDay: string | null;
  lastDay: string | null;
  /** Entries that the manifests of the period name, and how many of them are in the copy as they were sealed. */
  entries: number;
  inCopy: number;
  quarantined: number;
  /** Lines of days that are not sealed yet, by day. */
  open: Map<string, number>;
  /** Lines of sealed days that came after the seal: an amendment will name them. */
  late: UnsealedLine[];
  /** Lines observed while the copy did not claim to be complete. */
  uncovered: number;
  /** Lines of days whose checkpoint and manifest are both gone. */
  unknown: number;
};

export type DayCheck = { findings: Finding[]; tally: DayTally };

type Context = {
  scan: Scan;
  chain: Chain;
  manifests: Pick<ManifestCheck, 'unlisted' | 'unsealed'>;
  period: Period;
  /** The first day that is not sealed; null where none is. */
  nextDay: string | null;
  /** What the state table says of entries not sealed yet, by id and content; null where it was not read. */
  trail: ReadonlyMap<string, TrailRecord> | null;
};

export function checkDays(context: Context): DayCheck {
  const check: DayCheck = { findings: [], tally: tallyOfChain(context) };
  checkSealed(context, check);
  for (const line of context.scan.unsealed.values()) takeUnsealed(line, context, check);
  return check;
}

/** The first day after the last one that a checkpoint seals; null where none does. */
export function nextDayOf({ links }: Chain): string | null {
  const days = links.flatMap(({ checkpoint: { kind, day } }) => (kind === 'day' && day !== null ? [day] : []));
  const last = days.sort().at(-1);
  return last === undefined ? null : shiftDay(last, 1);
}

function tallyOfChain({ chain, period }: Context): DayTally {
  const links = chain.links.map(({ checkpoint }) => checkpoint);
  const ofPeriod = links.filter(({ day }) => day !== null && isInPeriod(day, period));
  const days = ofPeriod.filter(({ kind }) => kind === 'day');
  return {
    sealedDays: days.length,
    emptyDays: days.filter(({ entries }) => entries === 0).length,
    amendments: ofPeriod.length - days.length,
    firstDay: days.at(0)?.day ?? null,
    lastDay: days.at(-1)?.day ?? null,
    entries: 0,
    inCopy: 0,
    quarantined: 0,
    open: new Map(),
    late: [],
    uncovered: 0,
    unknown: 0,
  };
}

function checkSealed({ scan, manifests, period, nextDay }: Context, { findings, tally }: DayCheck): void {
  for (const { id, day, manifest, quarantined, met, metAltered } of scan.sealed.entries()) {
    if (!isInPeriod(day, period)) continue;
    if (manifests.unsealed.has(manifest)) {
      if (met && isOpen(day, nextDay)) tally.open.set(day, (tally.open.get(day) ?? 0) + 1);
      else if (met) findings.push(finding('line-added', id, { day, how: `only ${manifest} names it` }));
      continue;
    }
    tally.entries += 1;
    if (met) tally.inCopy += 1;
    else if (quarantined) tally.quarantined += 1;
    else if (!metAltered) findings.push(finding('line-missing', id, { day }));
  }
}

function isOpen(day: string, nextDay: string | null): boolean {
  return nextDay === null || day >= nextDay;
}

function takeUnsealed(line: UnsealedLine, context: Context, { findings, tally }: DayCheck): void {
  const { manifests, nextDay, trail } = context;
  if (manifests.unlisted.has(line.day)) return;
  if (isOpen(line.day, nextDay)) tally.open.set(line.day, (tally.open.get(line.day) ?? 0) + 1);
  else if (isOfLostDay(line, context)) tally.unknown += 1;
  else if (!isClaimed(line, context.chain)) tally.uncovered += 1;
  else if (trail === null ? cameAfterSeal(line, context.chain) : trail.has(`${line.id} ${line.sha256}`))
    tally.late.push(line);
  else findings.push(finding('line-added', line.id, { day: line.day, place: line.place }));
}

/** A checkpoint is missing that may have sealed this day, and with it the manifest. */
function isOfLostDay({ day }: UnsealedLine, { chain }: Context): boolean {
  return !isWhole(chain) && !chain.links.some(({ checkpoint }) => checkpoint.day === day);
}

/**
 * The copy claims to have this line or none like it: it was observed while the trail was on. A line that says that it was observed more than a day before it
 * happened says so to look unclaimed.
 */
export function isClaimed({ day, observedAt }: Pick<UnsealedLine, 'day' | 'observedAt'>, chain: Chain): boolean {
  const at = Date.parse(observedAt);
  return isCovered(at, chain) || day > shiftDay(new Date(at).toISOString().slice(0, 10), 1);
}

/** Before the first begin nothing is claimed, nor between the last seal and a further begin, while the audit was off. */
function isCovered(at: number, { links }: Chain): boolean {
  return !links.some(({ checkpoint }, index) => {
    if (checkpoint.kind !== 'begin') return false;
    const before = links[index - 1]?.checkpoint.sealedAt;
    return at < Date.parse(checkpoint.since) && (before === undefined || at > Date.parse(before));
  });
}

/** An entry is observed some seconds before it is written down to be sealed. */
const SLACK_MS = 15 * 60_000;

function cameAfterSeal({ observedAt }: UnsealedLine, { links }: Chain): boolean {
  const lastSeal = Math.max(...links.map(({ checkpoint }) => Date.parse(checkpoint.sealedAt)));
  return links.length > 0 && Date.parse(observedAt) > lastSeal - SLACK_MS;
}
