// The chain of checkpoints: each has the SHA-256 of the one before, and the head, kept elsewhere, that of the last one.
import type { AuditCheckpoint } from '../../../audit/checkpoint.ts';
import type { FoundCheckpoint } from '../copy/checkpoints.ts';
import { finding, type Finding } from '../findings.ts';
import { shiftDay } from '../period.ts';

/** Number and hash of a checkpoint, recorded outside of the copy. It proves every checkpoint before it. */
export type Head = { number: number; sha256: string };

export type Chain = {
  /** The checkpoints that are accepted as the true ones, by number; some may be missing. */
  links: FoundCheckpoint[];
  /** The number of the first checkpoint that must exist: 1, unless the bucket removed older ones by their age. */
  first: number;
  /** The number of the last checkpoint, found or not; 0 if there is none. */
  last: number;
  findings: Finding[];
};

/** Checks the chain backwards: each checkpoint has the hash of the one before. `max` is the last number, if known. */
export function checkChain(found: readonly FoundCheckpoint[], heads: readonly Head[], max: number | null): Chain {
  const isBeyond = ({ checkpoint }: FoundCheckpoint): boolean => max !== null && checkpoint.number > max;
  const byNumber = Map.groupBy(
    found.filter((link) => !isBeyond(link)),
    ({ checkpoint }) => checkpoint.number,
  );
  const last = Math.max(0, ...heads.map(({ number }) => number), ...byNumber.keys());
  const links: FoundCheckpoint[] = [];
  const findings = found.filter(isBeyond).map((link) => altered(link, `the chain ends with checkpoint ${max}`));
  let next: Expected | null = null;
  for (let number = last; number >= 1; number -= 1) {
    const head = heads.find((head) => head.number === number);
    if (head !== undefined && next !== null && next.sha256 !== head.sha256) findings.push(...forkedFromHead(links[0]));
    const expected: Expected | null = head === undefined ? next : { ...head, by: 'the head' };
    const here: readonly FoundCheckpoint[] = byNumber.get(number) ?? [];
    const link: FoundCheckpoint | null = here.find(({ sha256 }) => sha256 === expected?.sha256) ?? here.at(0) ?? null;
    findings.push(...problemsAt(number, here, { link, expected }));
    if (link !== null) links.unshift(link);
    next = link === null ? null : expectedBefore(link);
  }
  return { links, first: 1, last, findings: [...findings, ...problemsOfOrder(links)] };
}

function forkedFromHead(link: FoundCheckpoint | undefined): Finding[] {
  return link === undefined ? [] : [altered(link, 'it follows another checkpoint than the head')];
}

/** The hash that a checkpoint must have, and what says so. The hash is null if there must not be a checkpoint. */
type Expected = { sha256: string | null; by: string };

function expectedBefore({ checkpoint }: FoundCheckpoint): Expected {
  return { sha256: checkpoint.previousSha256, by: `checkpoint ${checkpoint.number}` };
}

function problemsAt(
  number: number,
  here: readonly FoundCheckpoint[],
  { link, expected }: { link: FoundCheckpoint | null; expected: Expected | null },
): Finding[] {
  if (link === null) {
    const hash = expected?.sha256 ? `its SHA-256 is ${expected.sha256} by ${expected.by}` : '';
    const how = expected?.by === 'the head' ? `${hash}; if it is minutes old, it may still be in transit` : hash;
    return [finding('checkpoint-missing', `checkpoint ${number}`, { how })];
  }
  const isTrue = expected === null || expected.sha256 === link.sha256;
  const others = here.filter((other) => other !== link);
  return [
    ...(isTrue
      ? []
      : [altered(link, `its SHA-256 is ${link.sha256}, but ${expected.by} follows ${expected.sha256 ?? 'none'}`)]),
    ...others.map((other) => altered(other, 'another checkpoint with this number takes its place')),
    ...(number === 1 ? problemsOfFirst(link) : []),
  ];
}

function problemsOfFirst(link: FoundCheckpoint): Finding[] {
  const { kind, previousSha256 } = link.checkpoint;
  if (kind === 'begin' && previousSha256 === null) return [];
  return [altered(link, 'the first checkpoint must have kind begin and no previousSha256')];
}

function altered({ checkpoint, place }: FoundCheckpoint, how: string): Finding {
  return finding('checkpoint-altered', `checkpoint ${checkpoint.number}`, { day: checkpoint.day, how, place });
}

/** Every day from `since` on is sealed, without a gap. Before that, only days with entries are sealed. */
function problemsOfOrder(links: readonly FoundCheckpoint[]): Finding[] {
  const findings: Finding[] = [];
  let due: Due | null = null;
  let number = 0;
  for (const { checkpoint } of links) {
    if (checkpoint.number !== number + 1) due = null;
    ({ number } = checkpoint);
    // Amendments may concern any earlier day.
    if (checkpoint.kind === 'amendment') continue;
    if (due !== null && checkpoint.day !== null && !isDue(checkpoint.day, due))
      findings.push(notSealed(checkpoint, due));
    due = dueAfter(checkpoint);
  }
  return findings;
}

/** The days that may be sealed next. */
type Due = { earliest: string; latest: string };

function isDue(day: string, { earliest, latest }: Due): boolean {
  return day >= earliest && day <= latest;
}

function dueAfter({ kind, day, since, firstDay }: AuditCheckpoint): Due | null {
  if (kind === 'begin') return { earliest: firstDay, latest: firstDay };
  if (day === null) return null;
  const earliest = shiftDay(day, 1);
  const sinceDay = since.slice(0, 10);
  return { earliest, latest: earliest < sinceDay ? sinceDay : earliest };
}

function notSealed({ number, day }: AuditCheckpoint, { latest }: Due): Finding {
  return finding('day-not-sealed', latest, { day: latest, how: `checkpoint ${number} seals ${day} instead` });
}
