// The sealer's story: what is pending is announced, then checkpoint after checkpoint is chained up until every closed day is sealed.
import type { SourceState } from '../../source/state.ts';
import { BridgeError } from '../../shared/errors.ts';
import { beginning, beginsAnew } from './genesis.ts';
import { announce, chainUp, Overtaken } from './append-checkpoint.ts';
import type { AuditHead } from '../checkpoint.ts';
import { isBehind, lastSealableDay } from './days.ts';
import { amendmentUnderWay, lateEntries } from './late-entries.ts';
import { dueDay, sealedDay } from './sealed-day.ts';
import type { Draft, SealInvocation, Sealing } from './sealing.ts';
import { readStamps } from './stamps.ts';

/** A source read from years ago has thousands of days: the next hour goes on. */
const MOST_CHECKPOINTS = 50;
/** Left of the function's time: for a checkpoint under way, and of that for its notice. */
const RESERVE_MS = 20_000;
const LAST_CALL_MS = 3_000;

/** Why no more was sealed; none where every closed day is. */
export type SealReason =
  | 'not-started'
  | 'trail-off'
  | 'reading-the-past'
  | 'credentials-not-set'
  | 'overtaken'
  | 'limit-reached'
  | 'out-of-time';

export type SealResult = {
  sourceId: string;
  /** Made by this invocation. */
  checkpoints: number;
  /** The first day that is not sealed; null before the first checkpoint. */
  nextDay: string | null;
  reason?: SealReason;
};

/**
 * Seals the closed days of one source, at most 50 checkpoints an invocation; whatever ends it, the next one goes on. Of two at once one ends quietly.
 * Rejects with AuditBehind where no day can be sealed for want of reconcile sweeps, with PublishFailed, BucketUnavailable, StateUnavailable or CredentialsUnreadable
 * where a step failed.
 */
export async function seal(invocation: SealInvocation): Promise<SealResult> {
  const { settings, clock } = invocation;
  const sealing = await openSealing(invocation);
  const state = await invocation.state.read(settings.sourceId);
  const reason = await untilOvertaken(() => sealAll(sealing, state));
  if (isAtWork(state) && isBehind(state, settings, clock.now())) throw behind(settings.sourceId, state.lows.reconcile);
  const result = { sourceId: settings.sourceId, checkpoints: sealing.made, nextDay: sealing.head?.nextDay ?? null };
  return reason === null ? result : { ...result, reason };
}

async function openSealing(invocation: SealInvocation): Promise<Sealing> {
  const endsAt = invocation.clock.now() + invocation.remainingMs;
  const head = await invocation.chain.readHead(invocation.settings.sourceId);
  return { ...invocation, head, made: 0, stopAt: endsAt - RESERVE_MS, publishAt: endsAt - LAST_CALL_MS };
}

async function sealAll(sealing: Sealing, state: SourceState | null): Promise<SealReason | null> {
  await announce(sealing);
  if (!isAtWork(state)) return state?.firstRunAt == null ? 'not-started' : 'trail-off';
  if (state.pastLevels.includes('past')) return 'reading-the-past';
  const stamps = await readStamps(sealing);
  if (stamps === null) return 'credentials-not-set';
  for (;;) {
    if (sealing.made === MOST_CHECKPOINTS) return 'limit-reached';
    if (sealing.clock.now() >= sealing.stopAt) return 'out-of-time';
    const draft = await nextDraft(sealing, state);
    if (draft === null) return null;
    await chainUp(sealing, draft, stamps);
  }
}

/** A manifest under way comes first, because it may be in the bucket already; then what has come late, then the next day. */
async function nextDraft(sealing: Sealing, state: AuditedState): Promise<Draft | null> {
  const { head, settings } = sealing;
  if (head === null) return await beginning(sealing, state.auditSince);
  if (head.amending !== null)
    return (await underWay(sealing, head, head.amending)) ?? (await nextDraft(sealing, state));
  if (beginsAnew(head, state.auditSince)) return await beginning(sealing, state.auditSince);
  const late = await lateEntries(sealing, head);
  if (late !== null) return late;
  const day = await dueDay(sealing, head);
  return day > lastSealableDay(state, settings) ? null : await sealedDay(sealing, head, day);
}

async function underWay(
  sealing: Sealing,
  head: AuditHead,
  { day, amendment }: { day: string; amendment: number },
): Promise<Draft | null> {
  if (amendment === 0) return await sealedDay(sealing, head, day);
  return await amendmentUnderWay(sealing, head, day);
}

type AuditedState = SourceState & { auditSince: number };

function isAtWork(state: SourceState | null): state is AuditedState {
  return state !== null && state.firstRunAt !== null && state.auditSince !== undefined;
}

async function untilOvertaken(work: () => Promise<SealReason | null>): Promise<SealReason | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Overtaken) return 'overtaken';
    throw error;
  }
}

function behind(sourceId: string, low: number): BridgeError {
  const since = new Date(low).toISOString();
  return new BridgeError(
    'AuditBehind',
    `No day of source ${sourceId} can be sealed: its last complete reconcile sweep began at ${since}. See the poller's FailedPoll for what keeps it from one.`,
    { retryable: true, details: { sourceId, since } },
  );
}
