// The chain of checkpoints: each names the SHA-256 of the one before it, and the head, kept outside of the bucket, that of the last.
import type { AuditCheckpoint } from '../../../audit/checkpoint.ts';
import type { FoundCheckpoint } from '../copy/checkpoints.ts';
import { finding, type Finding } from '../findings.ts';
import { shiftDay } from '../period.ts';

/** A checkpoint of the chain, as it was written down elsewhere: what comes before it is fixed by it. */
export type Head = { number: number; sha256: string };

export type Chain = {
  /** The checkpoints taken for the true ones, by number; a number may be missing. */
  links: FoundCheckpoint[];
  /** The number of the first checkpoint that must be there: 1, but where the period begins after what was removed by its age. */
  first: number;
  /** The number of the last checkpoint, found or not; 0 where there is none. */
  last: number;
  findings: Finding[];
};

/**
 * Checks the chain from its end to its beginning, because each checkpoint says what the one before it must be. Nothing can have come after number `most`;
 * null where that is not known.
 */
export function checkChain(found: readonly FoundCheckpoint[], heads: readonly Head[], most: number | null): Chain {
  const isBeyond = ({ checkpoint }: FoundCheckpoint): boolean => most !== null && checkpoint.number > most;
  const byNumber = Map.groupBy(
    found.filter((link) => !isBeyond(link)),
    ({ checkpoint }) => checkpoint.number,
  );
  const last = Math.max(0, ...heads.map(({ number }) => number), ...byNumber.keys());
  const links: FoundCheckpoint[] = [];
  const findings = found.filter(isBeyond).map((link) => altered(link, `the chain ends with checkpoint ${most}`));
  let next: Follower | null = null;
  for (let number = last; number >= 1; number -= 1) {
    const head = heads.find((head) => head.number === number);
    if (head !== undefined && next !== null && next.sha256 !== head.sha256) findings.push(...offTheHead(links[0]));
    const told: Follower | null = head === undefined ? next : { ...head, name: 'the head' };
    const here: readonly FoundCheckpoint[] = byNumber.get(number) ?? [];
    const link: FoundCheckpoint | null = here.find(({ sha256 }) => sha256 === told?.sha256) ?? here.at(0) ?? null;
    findings.push(...problemsAt(number, here, { link, told }));
    if (link !== null) links.unshift(link);
    next = link === null ? null : followerOf(link);
  }
  return { links, first: 1, last, findings: [...findings, ...problemsOfOrder(links)] };
}

function offTheHead(link: FoundCheckpoint | undefined): Finding[] {
  return link === undefined ? [] : [altered(link, 'it follows another checkpoint than the head')];
}

/** Who says what the SHA-256 of a checkpoint must be; null in place of the hash where it says that there is none before it. */
type Follower = { sha256: string | null; name: string };

function followerOf({ checkpoint }: FoundCheckpoint): Follower {
  return { sha256: checkpoint.previousSha256, name: `checkpoint ${checkpoint.number}` };
}

function problemsAt(
  number: number,
  here: readonly FoundCheckpoint[],
  { link, told }: { link: FoundCheckpoint | null; told: Follower | null },
): Finding[] {
  if (link === null) {
    const hash = told?.sha256 ? `its SHA-256 is ${told.sha256} by ${told.name}` : '';
    const how = told?.name === 'the head' ? `${hash}; made within the last minutes, it may still be on its way` : hash;
    return [finding('checkpoint-missing', `checkpoint ${number}`, { how })];
  }
  const isTrue = told === null || told.sha256 === link.sha256;
  const others = here.filter((other) => other !== link);
  return [
    ...(isTrue
      ? []
      : [altered(link, `its SHA-256 is ${link.sha256}, but ${told.name} follows ${told.sha256 ?? 'none'}`)]),
    ...others.map((other) => altered(other, 'another checkpoint of this number stands in its place')),
    ...(number === 1 ? problemsOfFirst(link) : []),
  ];
}

function problemsOfFirst(link: FoundCheckpoint): Finding[] {
  const { kind, previousSha256 } = link.checkpoint;
  if (kind === 'begin' && previousSha256 === null) return [];
  return [altered(link, 'the first one is of the kind begin and follows none')];
}

function altered({ checkpoint, place }: FoundCheckpoint, how: string): Finding {
  return finding('checkpoint-altered', `checkpoint ${checkpoint.number}`, { day: checkpoint.day, how, place });
}

/** Days follow each other without a gap, as far as the copy claims to be complete; of what came before, only days with entries are sealed. */
function problemsOfOrder(links: readonly FoundCheckpoint[]): Finding[] {
  const findings: Finding[] = [];
  let due: Due | null = null;
  let number = 0;
  for (const { checkpoint } of links) {
    if (checkpoint.number !== number + 1) due = null;
    ({ number } = checkpoint);
    // An amendment says nothing of the order of days.
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
