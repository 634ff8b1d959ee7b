// Checks the chain of the copy against its head, from the state table or as the user gives it.
import type { AuditHead } from '../../../audit/checkpoint.ts';
import { canonicalJson, sha256Hex } from '../../../shared/json.ts';
import { Problem } from '../../../shared/problem.ts';
import { checkChain, type Head } from './chain.ts';
import type { FoundCheckpoint } from '../copy/checkpoints.ts';
import { withoutRemoved } from './removed-by-age.ts';
import type { Verification, VerifyRequest } from '../verification.ts';

/** The head in the state table, before and after the copy was read. */
export type KnownHeads = { before: AuditHead | null; after: AuditHead | null };

/**
 * Checks the chain. Checkpoints that were made while the copy was read may be in it or not; one that is still pending
 * is taken from the table. Throws a Problem if a given head contradicts the table.
 */
export function chainOfCopy(
  found: readonly FoundCheckpoint[],
  { before, after }: KnownHeads,
  { head: given, period }: Pick<VerifyRequest, 'head' | 'period'>,
): Pick<Verification, 'chain' | 'head' | 'pending'> {
  if (before !== null && given !== null) refuseOther(given, before);
  const pending = before?.pending ?? null;
  const isInTransit = pending !== null && !found.some(({ checkpoint }) => checkpoint.number === pending.number);
  const heads: Head[] = [before, given].flatMap((head) => (head === null ? [] : [toHead(head)]));
  const there = isInTransit ? [...found, asFound(pending)] : found;
  const chain = withoutRemoved(checkChain(there, heads, after?.number ?? null), heads, period);
  const last = chain.links.at(-1);
  // An older head proves what comes before it, but not where the chain ends.
  const newest = given !== null && given.number >= chain.last ? given : null;
  const end = before ?? newest ?? (last && { number: last.checkpoint.number, sha256: last.sha256 });
  return { chain, head: end ? toHead(end) : null, pending: isInTransit ? pending.number : null };
}

function toHead({ number, sha256 }: Head): Head {
  return { number, sha256 };
}

function refuseOther(given: Head, known: AuditHead): void {
  if (given.number < known.number || (given.number === known.number && given.sha256 === known.sha256)) return;
  throw new Problem('--head does not belong to the chain in the state table. Correct it, or leave it out.');
}

function asFound(checkpoint: NonNullable<AuditHead['pending']>): FoundCheckpoint {
  const sha256 = sha256Hex(canonicalJson({ ...checkpoint }));
  return { checkpoint, sha256, place: { key: 'the state table', line: 1 } };
}
