// The check of an audit copy, top to bottom: read it once, then chain, manifests, days, and whatever else was asked to be compared.
import { ERRORS_PREFIX } from '../../audit/bucket-layout.ts';
import type { AuditHead } from '../../audit/checkpoint.ts';
import type { TrailRecord } from '../../poller/ports.ts';
import type { Clock } from '../../shared/clock.ts';
import { canonicalJson, scalarText, sha256Hex } from '../../shared/json.ts';
import { Problem } from '../problem.ts';
import { type Chain, checkChain, type Head } from './chain.ts';
import type { FoundCheckpoint } from './checkpoints.ts';
import { compareWithSource, type SourceComparison } from './compare-source.ts';
import type { AuditCopy } from './copy.ts';
import { checkDays, type DayTally, isCovered, nextDayOf } from './days.ts';
import { type Finding, inReportOrder } from './findings.ts';
import { checkManifests } from './manifests.ts';
import { byPair, checkOpenDays, type OpenDays, type Trails } from './open-days.ts';
import type { Period } from './period.ts';
import type { SourceReading } from './read-source.ts';
import { type Scan, scanCopy } from './scan.ts';
import { withDigests } from './unlisted-days.ts';
import { checkWholeEntries } from './whole-entries.ts';

/** What the state table tells, outside of the bucket. */
export type AuditTable = {
  readonly name: string;
  readHead(sourceId: string): Promise<AuditHead | null>;
  /** Everything not sealed yet. */
  readTrail(sourceId: string): Promise<TrailRecord[]>;
};

export type DeadLetterQueue = { url: string; messages: number };

export type VerifyRequest = {
  copy: AuditCopy;
  sourceId: string;
  period: Period;
  /** The end of the chain as somebody wrote it down; the table tells it too. */
  head: Pick<Head, 'number' | 'sha256'> | null;
  table: AuditTable | null;
  /** Reads the service from a day on; null where it is not asked. */
  readSource: ((fromDay: string | null) => Promise<SourceReading>) | null;
  readDeadLetters: () => Promise<DeadLetterQueue[]>;
  /** SHA-256 of the name of the user who reads the service for the check; null where it is not read. */
  userSha256: string | null;
  clock: Pick<Clock, 'now'>;
};

export type Verification = {
  copyName: string;
  sourceId: string;
  period: Period;
  checkedAt: number;
  chain: Chain;
  /** Who told the end of the chain; null where nobody did. */
  headFrom: 'given' | 'table' | null;
  /** The last checkpoint, as it was found. */
  head: Pick<Head, 'number' | 'sha256'> | null;
  /** A checkpoint is in the chain and not known to be on the bus. */
  pending: number | null;
  counts: Scan['counts'] & { checkpointDuplicates: number };
  days: DayTally;
  open: OpenDays | null;
  gaps: { from: string | null; to: string; reason: string }[];
  deliveryErrors: number;
  deadLetters: DeadLetterQueue[];
  source: (SourceComparison & { requests: number; isSameUser: boolean | null }) | null;
  findings: Finding[];
};

/** Checks a copy. Resolves to what was found; rejects with a Problem, or what reading failed with, where it could not be checked. */
export async function verify(request: VerifyRequest): Promise<Verification> {
  const { copy, sourceId, period, table, clock } = request;
  const before = (await table?.readTrail(sourceId)) ?? [];
  const scan = await scanCopy(copy, { sourceId, period });
  // After the copy: what was sealed while it was read is in neither.
  const known = (await table?.readHead(sourceId)) ?? null;
  const trails = table === null ? null : { before, after: await table.readTrail(sourceId) };
  const { chain, head, pending } = chainOf(scan, known, request);
  if (chain.last === 0) throw nothingToCheck(scan, request);
  const nextDay = known?.nextDay ?? nextDayOf(chain);
  const isUnderWay = (day: string): boolean => known !== null && (day === known.amending?.day || day === known.nextDay);
  const isWhole = chain.links.length === chain.last;
  const manifests = checkManifests(chain.links, scan.manifests, { period, isWhole, isUnderWay });
  const days = checkDays({ scan, chain, manifests, period, nextDay, trail: trails && byPair(allOf(trails)) });
  const covers = (instant: string): boolean => isCovered(instant, chain);
  const now = clock.now();
  const open = trails && checkOpenDays(scan, trails, { period, nextDay, now, covers });
  const sealedOversize = [...scan.oversize.values()].filter(({ day }) => nextDay !== null && day < nextDay);
  const whole = await checkWholeEntries(copy, sourceId, sealedOversize);
  const source = await againstSource(request, scan, days.tally.firstDay);
  return {
    copyName: copy.name,
    sourceId,
    period,
    checkedAt: now,
    chain,
    headFrom: known === null ? request.head && 'given' : 'table',
    head,
    pending,
    counts: { ...scan.counts, checkpointDuplicates: scan.checkpoints.duplicates() },
    days: days.tally,
    open,
    gaps: gapsIn(scan, period),
    deliveryErrors: await countOf(copy.list(ERRORS_PREFIX)),
    deadLetters: await request.readDeadLetters(),
    source: source && { ...source, isSameUser: isSameUser(request.userSha256, chain) },
    findings: inReportOrder([
      ...chain.findings,
      ...withDigests(manifests.findings, scan, chain),
      ...scan.findings.map((found) => withOwner(found, scan)),
      ...days.findings,
      ...whole,
      ...(open?.findings ?? []),
      ...(source?.findings ?? []),
    ]),
  };
}

function allOf({ before, after }: Trails): TrailRecord[] {
  return [...before, ...after];
}

type ChainOf = Pick<Verification, 'chain' | 'head' | 'pending'>;

/** The head of the table is the last checkpoint there is; one that was only written down may have been followed by others. */
function chainOf(scan: Scan, known: AuditHead | null, request: VerifyRequest): ChainOf {
  const found = scan.checkpoints.found();
  const given: Head | null = request.head && { ...request.head, isLast: false };
  if (known !== null && given !== null && (given.number > known.number || !fits(given, known)))
    throw new Problem('--head is not of the chain whose end the state table has. Give the right one, or leave it out.');
  const onTheWay = known?.pending && !found.some(({ checkpoint }) => checkpoint.number === known.number);
  const links = onTheWay && known?.pending ? [...found, asFound(known.pending)] : found;
  const head = known === null ? given : { number: known.number, sha256: known.sha256, isLast: true };
  const chain = checkChain(links, head);
  const last = chain.links.at(-1);
  return {
    chain,
    head: head ?? (last ? { number: last.checkpoint.number, sha256: last.sha256 } : null),
    pending: onTheWay ? (known?.number ?? null) : null,
  };
}

function fits(given: Head, known: AuditHead): boolean {
  return given.number < known.number || given.sha256 === known.sha256;
}

function asFound(checkpoint: NonNullable<AuditHead['pending']>): FoundCheckpoint {
  const sha256 = sha256Hex(canonicalJson({ ...checkpoint }));
  return { checkpoint, sha256, place: { key: 'the state table', line: 1 } };
}

function nothingToCheck({ counts, unsealed }: Scan, { copy, sourceId }: VerifyRequest): Problem {
  const there =
    unsealed.size > 0
      ? `It has events of source ${sourceId}, but no checkpoint yet: the first one comes with the first run of the sealer.`
      : `It has ${counts.lines} lines, and none of source ${sourceId}. Check --source, and that the copy is whole.`;
  return new Problem(`There is nothing to prove in ${copy.name}. ${there}`);
}

async function againstSource(
  { readSource, period, clock }: VerifyRequest,
  scan: Scan,
  firstDay: string | null,
): Promise<(SourceComparison & { requests: number }) | null> {
  if (readSource === null) return null;
  // Of what came before the first day that is sealed, the copy claims nothing.
  const from = period.from ?? firstDay;
  const reading = await readSource(from);
  const comparison = compareWithSource(scan, reading, { period: { ...period, from }, now: clock.now() });
  return { ...comparison, requests: reading.requests };
}

function isSameUser(userSha256: string | null, { links }: Chain): boolean | null {
  const last = links.at(-1);
  return last === undefined || userSha256 === null ? null : last.checkpoint.userSha256 === userSha256;
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

/** An altered line with another entry's content: whose it is. */
function withOwner(found: Finding, scan: Scan): Finding {
  return found.kind === 'line-altered' && found.content !== undefined
    ? { ...found, how: `${found.how}${ownerClause(found.content, found.name, scan)}` }
    : found;
}

function ownerClause(sha256: string, id: string, { sealed }: Scan): string {
  for (const entry of sealed.entries()) if (entry.sha256 === sha256 && entry.id !== id) return `: those of ${entry.id}`;
  return '';
}

async function countOf(items: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _item of items) count += 1;
  return count;
}
