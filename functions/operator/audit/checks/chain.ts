// The chain of checkpoints: each has the SHA-256 of the one before, and the head, kept elsewhere, that of the last one.
import type { AuditCheckpoint } from '../../../audit/checkpoint.ts';
import type { FoundCheckpoint } from '../copy/checkpoints.ts';
import { finding, type Finding } from '../findings.ts';
import { shiftDay } from '../period.ts';

/** Number and hash of a checkpoint, recorded outside of the copy. It proves every checkpoint before it. */
export type Head = { number: number; sha256: string };

/** `by` says where it was recorded. */
export type NamedHead = Head & { by: string };

export type Chain = {
  /** The checkpoints that are accepted as the true ones, by number; some may be missing. */
  links: FoundCheckpoint[];
  /** The number of the first checkpoint that must exist: 1, unless the bucket removed older ones by their age. */
  first: number;
  /** The number of the last checkpoint, found or not; 0 if there is none. */
  last: number;
  findings: Finding[];
  /** Checkpoints that are not part of the chain. Object Lock keeps them for good, and they disprove nothing. */
  forged: Finding[];
};

/** Ten checkpoints an hour for a century. */
const MAX_NUMBER = 10_000_000;

/**
 * Checks the chain backwards: each checkpoint has the hash of the one before. `max` is the last number, if known. Takes
 * time for the checkpoints that were found, whatever numbers they claim.
 */
export function checkChain(found: readonly FoundCheckpoint[], heads: readonly NamedHead[], max: number | null): Chain {
  const newest = heads.toSorted((a, b) => b.number - a.number).at(0) ?? null;
  const limit = max ?? Math.max(MAX_NUMBER, newest?.number ?? 0);
  const isBeyond = ({ checkpoint }: FoundCheckpoint): boolean => checkpoint.number > limit;
  const tooLong = max === null ? 'no chain is that long' : `the chain ends with checkpoint ${max}`;
  const near = found.filter((link) => !isBeyond(link)).toSorted((a, b) => b.checkpoint.number - a.checkpoint.number);
  const after = newest === null ? [] : following(newest, near);
  const isAfter = ({ checkpoint }: FoundCheckpoint): boolean => newest !== null && checkpoint.number > newest.number;
  const last = after.at(-1)?.checkpoint.number ?? newest?.number ?? near.at(0)?.checkpoint.number ?? 0;
  const walk = walkDown(
    near.filter((link) => !isAfter(link)),
    heads,
  );
  const links = [...walk.links, ...after];
  const accepted = new Set(links);
  return {
    links,
    first: 1,
    last,
    findings: [...walk.findings, ...problemsOfOrder(links)],
    forged: [
      ...found.filter(isBeyond).map((link) => forgery(link, tooLong)),
      ...near
        .filter((link) => isAfter(link) && !accepted.has(link))
        .map((link) =>
          forgery(link, `it does not follow checkpoint ${last}: it is forged, or those between are missing`),
        ),
      ...walk.forged,
    ],
  };
}

/** The longest chain of checkpoints that follows a head. `near` begins with the highest number. */
function following(head: Head, near: readonly FoundCheckpoint[]): FoundCheckpoint[] {
  const best = new Map<string, { link: FoundCheckpoint; length: number }>();
  for (const link of near) {
    const { number, previousSha256 } = link.checkpoint;
    const length = (best.get(`${number} ${link.sha256}`)?.length ?? 0) + 1;
    const key = `${number - 1} ${previousSha256}`;
    if (length > (best.get(key)?.length ?? 0)) best.set(key, { link, length });
  }
  const links: FoundCheckpoint[] = [];
  for (let end = head, next; (next = best.get(`${end.number} ${end.sha256}`)) !== undefined; links.push(next.link))
    end = { number: next.link.checkpoint.number, sha256: next.link.sha256 };
  return links;
}

/** Walks from the highest number to 1 over the numbers that were found, and those of the heads. */
function walkDown(
  near: readonly FoundCheckpoint[],
  heads: readonly NamedHead[],
): Pick<Chain, 'links' | 'findings' | 'forged'> {
  const byNumber = Map.groupBy(near, ({ checkpoint }) => checkpoint.number);
  const depths = depthsOf(near);
  const numbers = [...new Set([...byNumber.keys(), ...heads.map(({ number }) => number)])].sort((a, b) => b - a);
  const links: FoundCheckpoint[] = [];
  const findings: Finding[] = [];
  const forged: Finding[] = [];
  let next: Expected | null = null;
  let due = numbers.at(0) ?? 0;
  for (const number of numbers) {
    if (number < due) {
      findings.push(missing({ from: number + 1, to: due }, next));
      next = null;
    }
    due = number - 1;
    const head = heads.find((head) => head.number === number);
    if (head !== undefined && next !== null && next.sha256 !== head.sha256)
      findings.push(...forkedFrom(head, links.at(-1)));
    const expected: Expected | null = head === undefined ? next : { ...head, isHead: true };
    const here = byNumber.get(number) ?? [];
    const { link, isCertain } = chosen(here, expected, depths);
    findings.push(...(link === null ? [missing({ from: number, to: number }, expected)] : problemsAt(link, expected)));
    for (const other of here)
      if (other !== link) (isCertain ? forged : findings).push((isCertain ? forgery : altered)(other, DOUBLED));
    if (link !== null) links.push(link);
    next = link === null ? null : expectedBefore(link);
  }
  if (due >= 1) findings.push(missing({ from: 1, to: due }, next));
  return { links: links.reverse(), findings, forged };
}

const DOUBLED = 'another checkpoint with this number is part of the chain';

/** How many checkpoints before each one follow one another up to it, by its hash. */
function depthsOf(near: readonly FoundCheckpoint[]): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  for (const { checkpoint, sha256 } of near.toReversed()) {
    const { number, previousSha256 } = checkpoint;
    depths.set(`${number} ${sha256}`, (depths.get(`${number - 1} ${previousSha256}`) ?? 0) + 1);
  }
  return depths;
}

/** The checkpoint with the expected hash is certainly the true one; else the one that most others lead up to. */
function chosen(
  here: readonly FoundCheckpoint[],
  expected: Expected | null,
  depths: ReadonlyMap<string, number>,
): { link: FoundCheckpoint | null; isCertain: boolean } {
  const right = here.find(({ sha256 }) => sha256 === expected?.sha256);
  if (right !== undefined) return { link: right, isCertain: true };
  const depthOf = ({ checkpoint, sha256 }: FoundCheckpoint): number =>
    depths.get(`${checkpoint.number} ${sha256}`) ?? 0;
  const [link = null, second] = here.toSorted((a, b) => depthOf(b) - depthOf(a));
  const isDeeper = link !== null && second !== undefined && depthOf(link) > depthOf(second);
  return { link, isCertain: expected === null && isDeeper };
}

function forkedFrom({ by }: NamedHead, link: FoundCheckpoint | undefined): Finding[] {
  return link === undefined ? [] : [altered(link, `it follows another checkpoint than ${by}`)];
}

/** The hash that a checkpoint must have, and what says so. The hash is null if there must not be a checkpoint. */
type Expected = { sha256: string | null; by: string; isHead: boolean };

function expectedBefore({ checkpoint }: FoundCheckpoint): Expected {
  return { sha256: checkpoint.previousSha256, by: `checkpoint ${checkpoint.number}`, isHead: false };
}

function missing({ from, to }: { from: number; to: number }, expected: Expected | null): Finding {
  const name = from === to ? `checkpoint ${from}` : `checkpoints ${from} to ${to}`;
  const whose = from === to ? 'its SHA-256' : `the SHA-256 of ${to}`;
  const hash = expected?.sha256 ? `${whose} is ${expected.sha256} by ${expected.by}` : '';
  const how = expected?.isHead ? `${hash}; if it is minutes old, it may still be in transit` : hash;
  return finding('checkpoint-missing', name, { how });
}

function problemsAt(link: FoundCheckpoint, expected: Expected | null): Finding[] {
  const isTrue = expected === null || expected.sha256 === link.sha256;
  return [
    ...(isTrue ? [] : [altered(link, `its SHA-256 is ${link.sha256}, but ${saysOf(expected)}`)]),
    ...(link.checkpoint.number === 1 ? problemsOfFirst(link) : []),
  ];
}

function saysOf({ by, isHead, sha256 }: Expected): string {
  return isHead ? `by ${by} it is ${sha256}` : `${by} follows ${sha256 ?? 'none'}`;
}

function problemsOfFirst(link: FoundCheckpoint): Finding[] {
  const { kind, previousSha256 } = link.checkpoint;
  if (kind === 'begin' && previousSha256 === null) return [];
  return [altered(link, 'the first checkpoint must have kind begin and no previousSha256')];
}

function altered({ checkpoint, place }: FoundCheckpoint, how: string): Finding {
  return finding('checkpoint-altered', `checkpoint ${checkpoint.number}`, { day: checkpoint.day, how, place });
}

function forgery({ checkpoint, place }: FoundCheckpoint, how: string): Finding {
  return finding('checkpoint-forged', `checkpoint ${checkpoint.number}`, { how, place });
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
export type Due = { earliest: string; latest: string };

function isDue(day: string, { earliest, latest }: Due): boolean {
  return day >= earliest && day <= latest;
}

/** After any checkpoint but an amendment. */
export function dueAfter({ kind, day, since, firstDay }: AuditCheckpoint): Due | null {
  if (kind === 'begin') return { earliest: firstDay, latest: firstDay };
  if (day === null) return null;
  const earliest = shiftDay(day, 1);
  const sinceDay = since.slice(0, 10);
  return { earliest, latest: earliest < sinceDay ? sinceDay : earliest };
}

function notSealed({ number, day }: AuditCheckpoint, { latest }: Due): Finding {
  return finding('day-not-sealed', latest, { day: latest, how: `checkpoint ${number} seals ${day} instead` });
}
