// Checks the chain of the copy against its head, from the state table or as the user gives it.
import type { AuditHead } from '../../../audit/checkpoint.ts';
import { canonicalJson, sha256Hex } from '../../../shared/json.ts';
import { checkChain, type Chain, type Head, type NamedHead } from './chain.ts';
import type { FoundCheckpoint } from '../copy/checkpoints.ts';
import { finding, type Finding } from '../findings.ts';
import { withoutRemoved } from './removed-by-age.ts';
import type { KeptHead } from '../head-file.ts';
import type { Period } from '../period.ts';

/** The head in the state table, before and after the copy was read. */
export type KnownHeads = { before: AuditHead | null; after: AuditHead | null };

/**
 * Checks the chain. Checkpoints that were made while the copy was read may be in it or not; one that is still pending
 * is taken from the table. A recorded head that contradicts the table, or the other one, is a finding.
 */
export function chainOfCopy(
  found: readonly FoundCheckpoint[],
  { before, after }: KnownHeads,
  { head: given, kept, period }: { head: Head | null; kept: KeptHead | null; period: Period },
): { chain: Chain; head: Head | null; pending: number | null } {
  const pending = before?.pending ?? null;
  const isInTransit = pending !== null && !found.some(({ checkpoint }) => checkpoint.number === pending.number);
  const { heads, contradictions } = agreeing(
    [...named(before, 'the state table'), ...named(given, '--head'), ...named(kept, 'the kept head')],
    before !== null,
  );
  const there = isInTransit ? [...found, asFound(pending)] : found;
  const chain = withoutRemoved(checkChain(there, heads, after?.number ?? null), heads, period);
  const last = chain.links.at(-1);
  // An older head proves what comes before it, but not where the chain ends.
  const newest = given !== null && given.number >= chain.last ? given : null;
  const end = before ?? newest ?? (last && { number: last.checkpoint.number, sha256: last.sha256 });
  return {
    chain: { ...chain, findings: [...contradictions, ...chain.findings] },
    head: end ? toHead(end) : null,
    pending: isInTransit ? pending.number : null,
  };
}

function named(head: Head | null, by: string): NamedHead[] {
  return head === null ? [] : [{ ...toHead(head), by }];
}

function toHead({ number, sha256 }: Head): Head {
  return { number, sha256 };
}

/** The first head and those that agree with it. `isEnd`: the chain ends with the first one. */
function agreeing(all: readonly NamedHead[], isEnd: boolean): { heads: NamedHead[]; contradictions: Finding[] } {
  const [first, ...others] = all;
  if (first === undefined) return { heads: [], contradictions: [] };
  const isOther = ({ number, sha256 }: Head): boolean =>
    number === first.number ? sha256 !== first.sha256 : isEnd && number > first.number;
  return {
    heads: [first, ...others.filter((head) => !isOther(head))],
    contradictions: others.filter(isOther).map((head) => contradiction(head, first)),
  };
}

function contradiction(head: NamedHead, first: NamedHead): Finding {
  const textOf = ({ number, sha256 }: Head): string => `${number}:${sha256}`;
  const says =
    head.number === first.number
      ? `${first.by} has ${textOf(first)}: the chain was rewritten`
      : `the chain ends with ${textOf(first)} by ${first.by}: it was cut, or replaced`;
  const mistyped = head.by === '--head' ? ', or --head is mistyped' : '';
  return finding('head-contradicted', `${textOf(head)} by ${head.by}`, { how: `${says}${mistyped}` });
}

function asFound(checkpoint: NonNullable<AuditHead['pending']>): FoundCheckpoint {
  const sha256 = sha256Hex(canonicalJson({ ...checkpoint }));
  return { checkpoint, sha256, place: { key: 'the state table', line: 1 } };
}
