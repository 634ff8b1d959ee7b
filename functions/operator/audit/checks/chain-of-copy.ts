// The chain as the copy has it, held against its ends: the one of the state table, and one that somebody wrote down.
import type { AuditHead } from '../../../audit/checkpoint.ts';
import { canonicalJson, sha256Hex } from '../../../shared/json.ts';
import { Problem } from '../../../shared/problem.ts';
import { checkChain, type Head } from './chain.ts';
import type { FoundCheckpoint } from '../copy/checkpoints.ts';
import { withoutRemoved } from './removed-by-age.ts';
import type { Verification, VerifyRequest } from '../verification.ts';

/** The head in the state table, as it was before the copy was read and after. */
export type KnownHeads = { before: AuditHead | null; after: AuditHead | null };

/**
 * What was sealed while the copy was read may be in it or not. A checkpoint that is not known to be on the bus is taken from the table.
 * Throws a Problem where a given head contradicts the table.
 */
export function chainOfCopy(
  found: readonly FoundCheckpoint[],
  { before, after }: KnownHeads,
  { head: given, period }: Pick<VerifyRequest, 'head' | 'period'>,
): Pick<Verification, 'chain' | 'head' | 'pending'> {
  if (before !== null && given !== null) refuseOther(given, before);
  const pending = before?.pending ?? null;
  const isOnTheWay = pending !== null && !found.some(({ checkpoint }) => checkpoint.number === pending.number);
  const heads: Head[] = [before, given].flatMap((head) => (head === null ? [] : [toHead(head)]));
  const there = isOnTheWay ? [...found, asFound(pending)] : found;
  const chain = withoutRemoved(checkChain(there, heads, after?.number ?? null), heads, period);
  const last = chain.links.at(-1);
  // A head of earlier fixes what comes before it, and says nothing of where the chain ends.
  const newest = given !== null && given.number >= chain.last ? given : null;
  const end = before ?? newest ?? (last && { number: last.checkpoint.number, sha256: last.sha256 });
  return { chain, head: end ? toHead(end) : null, pending: isOnTheWay ? pending.number : null };
}

function toHead({ number, sha256 }: Head): Head {
  return { number, sha256 };
}

function refuseOther(given: Head, known: AuditHead): void {
  if (given.number < known.number || (given.number === known.number && given.sha256 === known.sha256)) return;
  throw new Problem('--head is not of the chain whose end the state table has. Give the right one, or leave it out.');
}

function asFound(checkpoint: NonNullable<AuditHead['pending']>): FoundCheckpoint {
  const sha256 = sha256Hex(canonicalJson({ ...checkpoint }));
  return { checkpoint, sha256, place: { key: 'the state table', line: 1 } };
}
