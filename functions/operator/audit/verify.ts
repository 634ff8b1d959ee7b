// The check of an audit copy: it reads the copy once, then checks chain, manifests, days and what the options ask for.
import { ERRORS_PREFIX } from '../../audit/bucket-layout.ts';
import type { AuditHead } from '../../audit/checkpoint.ts';
import { scalarText } from '../../shared/json.ts';
import { Problem } from '../../shared/problem.ts';
import type { Chain } from './checks/chain.ts';
import { chainOfCopy, type KnownHeads } from './checks/chain-of-copy.ts';
import { compareWithSource } from './service/compare-source.ts';
import { checkAltered } from './checks/altered-lines.ts';
import { checkDays, claimOf, createStandings, nextDayOf } from './checks/days.ts';
import { inReportOrder } from './findings.ts';
import { checkManifests } from './checks/manifests.ts';
import { byPair, checkOpenDays, type Trails } from './checks/open-days.ts';
import { withOwners } from './checks/owners.ts';
import type { Period } from './period.ts';
import { isWhole } from './checks/removed-by-age.ts';
import { removedDays, withLastDay } from './checks/removed-days.ts';
import { type Scan, scanCopy } from './copy/scan.ts';
import { checkSettings } from './checks/settings.ts';
import { withDigests } from './checks/unlisted-days.ts';
import type { Verification, VerifyRequest } from './verification.ts';
import { checkWholeEntries } from './checks/whole-entries.ts';

/** Checks a copy. Rejects with a Problem or the error of a reading if the check cannot be done. */
export async function verify(request: VerifyRequest): Promise<Verification> {
  const { copy, bucket, sourceId, period, kept } = request;
  const { scan, heads, trails } = await readAll(request);
  const { chain, head, pending } = chainOfCopy(scan.checkpoints.found(), heads, request);
  if (chain.last === 0) throw nothingToCheck(scan, request);
  const nextDay = heads.before?.nextDay ?? nextDayOf(chain);
  const manifests = checkManifests(chain.links, scan.manifests, {
    period,
    isWhole: isWhole(chain),
    isInProgress: (day) => isInProgress(day, heads),
  });
  const trail = trails && byPair([...trails.before, ...trails.after]);
  const isClaimed = claimOf(chain);
  const dayContext = { scan, chain, manifests, period, nextDay, trail, isClaimed };
  const days = checkDays(dayContext);
  const altered = checkAltered(scan, createStandings(dayContext));
  const checkedAt = request.clock.now();
  const open = trails && checkOpenDays(scan, trails, { period, nextDay, now: checkedAt, isClaimed });
  const sealedOversize = [...scan.oversize.values()].filter(({ day }) => nextDay !== null && day < nextDay);
  const settings = checkSettings(scan, chain, { sourceId, period, contradicted: altered.contradicted });
  const whole = await checkWholeEntries(copy, sourceId, { lines: sealedOversize, rules: settings.rules });
  const source = await againstSource(request, { scan, chain, firstDay: days.tally.firstDay, now: checkedAt });
  return {
    copyName: copy.name,
    bucket,
    sourceId,
    period,
    checkedAt,
    chain,
    kept,
    headFrom: headFrom(heads, request, chain),
    head,
    pending,
    counts: { ...scan.counts, checkpointDuplicates: scan.checkpoints.duplicates() },
    days: days.tally,
    open,
    gaps: gapsIn(scan, period),
    deliveryErrors: await countOf(copy.list(ERRORS_PREFIX)),
    deadLetters: await request.readDeadLetters(),
    source,
    findings: inReportOrder([
      ...withLastDay(chain.findings, chain),
      ...removedDays(chain, { nextDay: heads.before?.nextDay ?? null, kept, listed: listedIn(scan) }),
      ...withDigests(manifests.findings, scan, chain),
      ...withOwners([...scan.findings, ...altered.findings, ...settings.findings], scan.sealed),
      ...days.findings,
      ...whole,
      ...(open?.findings ?? []),
      ...(source?.findings ?? []),
    ]),
    unproven: inReportOrder([...days.unproven, ...settings.unproven, ...chain.forged]),
  };
}

/** Entries in the manifests of each day that has some. */
function listedIn({ manifests }: Scan): ReadonlyMap<string, number> {
  const listed = new Map<string, number>();
  for (const { day, entries } of manifests.values())
    if (day !== null && entries !== null) listed.set(day, (listed.get(day) ?? 0) + entries);
  return listed;
}

/** A given head that is older than the chain does not say where the chain ends. */
function headFrom({ before }: KnownHeads, { head }: VerifyRequest, { last }: Chain): Verification['headFrom'] {
  if (before !== null) return 'table';
  return head?.number === last ? 'given' : null;
}

type Read = { scan: Scan; heads: KnownHeads; trails: Trails | null };

/** Reads the table before and after the copy, because entries that are sealed in between leave the trail. */
async function readAll({ copy, sourceId, period, table, clock, onProgress }: VerifyRequest): Promise<Read> {
  const options = { sourceId, period, now: clock.now(), onProgress };
  if (table === null)
    return {
      scan: await scanCopy(copy, options),
      heads: { before: null, after: null },
      trails: null,
    };
  const head = await table.readHead(sourceId);
  const before = await table.readTrail(sourceId);
  const scan = await scanCopy(copy, options);
  const after = await table.readTrail(sourceId);
  return { scan, heads: { before: head, after: await table.readHead(sourceId) }, trails: { before, after } };
}

/** Whether a sealer may have written a manifest of this day whose checkpoint does not exist yet. */
function isInProgress(day: string, { before, after }: KnownHeads): boolean {
  const concerns = (head: AuditHead | null): boolean =>
    head !== null && (day === head.amending?.day || day === head.nextDay);
  return concerns(before) || concerns(after) || before?.number !== after?.number;
}

function nothingToCheck({ counts, unsealed }: Scan, { copy, sourceId }: VerifyRequest): Problem {
  const there =
    unsealed.size > 0
      ? `It has events of source ${sourceId}, but no checkpoint yet: the first run of the sealer makes one.`
      : `It has ${counts.lines} lines, and none of source ${sourceId}. Check --source, and that the copy is complete.`;
  return new Problem(`There is nothing to prove in ${copy.name}. ${there}`);
}

async function againstSource(
  { readSource, period, userSha256 }: VerifyRequest,
  { scan, chain, firstDay, now }: { scan: Scan; chain: Chain; firstDay: string | null; now: number },
): Promise<Verification['source']> {
  if (readSource === null) return null;
  // The copy claims nothing before the first sealed day.
  const from = period.from ?? firstDay;
  const reading = await readSource(from);
  const comparison = compareWithSource(scan, reading, { period: { ...period, from }, now });
  const last = chain.links.at(-1)?.checkpoint;
  const isSameUser = last === undefined || userSha256 === null ? null : last.userSha256 === userSha256;
  return { ...comparison, requests: reading.requests, isSameUser };
}

/** Gaps that reach into the period. */
function gapsIn({ gaps }: Scan, { from, to }: Period): Verification['gaps'] {
  return gaps
    .map((gap) => ({
      from: scalarText(gap['from']),
      to: scalarText(gap['to']) ?? '',
      reason: scalarText(gap['reason']) ?? '',
    }))
    .filter((gap) => (from === null || gap.to >= from) && (to === null || (gap.from ?? '') <= `${to}T24`));
}

async function countOf(items: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _item of items) count += 1;
  return count;
}
