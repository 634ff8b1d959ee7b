// The sealer: it publishes what is pending, then appends checkpoints until every closed day is sealed.
import type { SourceState } from '../../source/state.ts';
import { BridgeError } from '../../shared/errors.ts';
import { genesis, needsGenesis } from './genesis.ts';
import { announce, appendCheckpoint, HeadConflict } from './append-checkpoint.ts';
import { settingsKey } from '../bucket-layout.ts';
import type { AuditHead } from '../checkpoint.ts';
import { isBehind, lastSealableDay } from './days.ts';
import { resumeAmendment, draftAmendment } from './amendments.ts';
import { nextDueDay, sealDay } from './seal-day.ts';
import type { Draft, SealInvocation, Sealing } from './sealing.ts';
import { readConfigurationHashes } from './configuration-hashes.ts';

/** A source that is read from years ago has thousands of days; the next invocation, an hour later, continues. */
const MAX_CHECKPOINTS = 50;
/** Time reserved for a checkpoint in progress, and the part of it that is left when publishing gives up. */
const RESERVE_MS = 20_000;
const PUBLISH_RESERVE_MS = 3_000;

/** Why the invocation stopped before every closed day was sealed. */
type SealReason =
  | 'not-started'
  | 'trail-off'
  | 'reading-the-past'
  | 'credentials-not-set'
  | 'head-conflict'
  | 'limit-reached'
  | 'out-of-time';

export type SealResult = {
  sourceId: string;
  /** Appended by this invocation. */
  checkpoints: number;
  /** The first day that is not sealed; null before the first checkpoint. */
  nextDay: string | null;
  reason?: SealReason;
};

/**
 * Seals the closed days of one source, at most 50 checkpoints per invocation; the next invocation continues wherever
 * this one ends. A removed one is sealed by the clock, since no sweep follows. Of two concurrent invocations one ends
 * without an error. Rejects with AuditBehind if reconcile sweeps are overdue, and with PublishFailed,
 * BucketUnavailable, StateUnavailable or CredentialsUnreadable if a step fails.
 */
export async function seal(invocation: SealInvocation): Promise<SealResult> {
  const { settings, clock } = invocation;
  const sealing = await openSealing(invocation);
  const stored = await invocation.state.read(settings.sourceId);
  const state = invocation.removed === undefined || stored === null ? stored : ended(stored, clock.now());
  const reason = await untilHeadConflict(() => sealAll(sealing, state));
  if (isAudited(state) && isBehind(state, settings, clock.now()))
    throw behind(settings.sourceId, state.watermarks.reconcile);
  const result = { sourceId: settings.sourceId, checkpoints: sealing.appended, nextDay: sealing.head?.nextDay ?? null };
  return reason === null ? result : { ...result, reason };
}

/** The state of a source that nobody reads any more: nothing that is still open will come. */
function ended({ backfills: _ended, ...state }: SourceState, now: number): SourceState {
  return { ...state, watermarks: { ...state.watermarks, reconcile: now }, deferredLevels: [] };
}

async function openSealing(invocation: SealInvocation): Promise<Sealing> {
  const endsAt = invocation.clock.now() + invocation.remainingMs;
  const head = await invocation.chain.readHead(invocation.settings.sourceId);
  return { ...invocation, head, appended: 0, stopAt: endsAt - RESERVE_MS, publishBy: endsAt - PUBLISH_RESERVE_MS };
}

async function sealAll(sealing: Sealing, state: SourceState | null): Promise<SealReason | null> {
  await announce(sealing);
  if (!isAudited(state)) return state?.firstRunAt == null ? 'not-started' : 'trail-off';
  if (state.deferredLevels.includes('past')) return 'reading-the-past';
  const hashes = await readConfigurationHashes(sealing);
  if (hashes === null) return 'credentials-not-set';
  await keepSettings(sealing);
  sealing.learn?.({ settingsSha256: hashes.settingsSha256, userSha256: hashes.userSha256 });
  for (;;) {
    if (sealing.appended === MAX_CHECKPOINTS) return 'limit-reached';
    if (sealing.clock.now() >= sealing.stopAt) return 'out-of-time';
    const draft = await nextDraft(sealing, state);
    if (draft === null) return null;
    await appendCheckpoint(sealing, draft, hashes);
  }
}

/** The check of the copy computes again from an entry and its settings what no hash of an entry covers. */
async function keepSettings({ bucket, settings, settingsSha256, settingsText }: Sealing): Promise<void> {
  await bucket.putOnce(settingsKey(settings.sourceId, settingsSha256), `${settingsText}\n`);
}

/** First a manifest in progress, because it may already be in the bucket; then late entries, then the next day. */
async function nextDraft(sealing: Sealing, state: AuditedState): Promise<Draft | null> {
  const { head, settings } = sealing;
  if (head === null) return await genesis(sealing, state.auditSince);
  if (head.amending !== null)
    return (await resumeDraft(sealing, head, head.amending)) ?? (await nextDraft(sealing, state));
  if (needsGenesis(head, state.auditSince)) return await genesis(sealing, state.auditSince);
  // A backfill adds to the same days for hours: they are amended once it is closed.
  const isBackfilled = (state.backfills?.open.length ?? 0) > 0;
  const late = isBackfilled ? null : await draftAmendment(sealing, head);
  if (late !== null) return late;
  const day = await nextDueDay(sealing, head);
  return day > lastSealableDay(state, settings) ? null : await sealDay(sealing, head, day);
}

async function resumeDraft(
  sealing: Sealing,
  head: AuditHead,
  { day, amendment }: { day: string; amendment: number },
): Promise<Draft | null> {
  if (amendment === 0) return await sealDay(sealing, head, day);
  return await resumeAmendment(sealing, head, day);
}

type AuditedState = SourceState & { auditSince: number };

function isAudited(state: SourceState | null): state is AuditedState {
  return state !== null && state.firstRunAt !== null && state.auditSince !== undefined;
}

async function untilHeadConflict(work: () => Promise<SealReason | null>): Promise<SealReason | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HeadConflict) return 'head-conflict';
    throw error;
  }
}

function behind(sourceId: string, low: number): BridgeError {
  const since = new Date(low).toISOString();
  return new BridgeError(
    'AuditBehind',
    `No day of source ${sourceId} can be sealed: its last complete reconcile sweep began at ${since}. See the poller's FailedPoll for the reason.`,
    { retryable: true, details: { sourceId, since } },
  );
}
