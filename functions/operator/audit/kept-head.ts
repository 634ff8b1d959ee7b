// Which head of a verification is kept for the next one.
import { nextDayOf } from './checks/days.ts';
import type { KeptHead } from './head-file.ts';
import { shiftDay } from './period.ts';
import type { Verification } from './verification.ts';

/**
 * Null where something speaks against the end of the chain: a finding in the chain, or, unless the table has the head,
 * a forged checkpoint, because the forged chain may seem to be the longer one. Lost lines do not: the head proves them.
 */
export function toKeptHead(result: Verification): KeptHead | null {
  const { unproven, head, headFrom, chain, sourceId, bucket, checkedAt } = result;
  const isForged = unproven.some(({ kind }) => kind === 'checkpoint-forged');
  if (head === null || chain.findings.length > 0 || (isForged && headFrom !== 'table')) return null;
  const nextDay = nextDayOf(chain);
  const links = chain.links.map(({ checkpoint }) => checkpoint);
  const isFromStart = chain.first === 1 && links.length === head.number;
  return {
    sourceId,
    bucket,
    number: head.number,
    sha256: head.sha256,
    day: nextDay === null ? null : shiftDay(nextDay, -1),
    entries: isFromStart ? links.reduce((sum, { entries }) => sum + entries, 0) : null,
    verifiedAt: new Date(checkedAt).toISOString(),
  };
}
