// Appends a checkpoint: first to the head, which arbitrates between concurrent invocations, then to the bus.
import { toNotice } from '../../events/notices.ts';
import { BridgeError } from '../../shared/errors.ts';
import { type AuditCheckpoint, type AuditHead, checkpointSha256 } from '../checkpoint.ts';
import type { Draft, Sealing } from './sealing.ts';
import type { ConfigurationHashes } from './configuration-hashes.ts';

/** Another invocation moved the head first; what it wrote stands. */
export class HeadConflict extends Error {
  override readonly name = 'HeadConflict';
}

/** Chains a checkpoint to the head and publishes it. Rejects with HeadConflict or PublishFailed. */
export async function appendCheckpoint(
  sealing: Sealing,
  { checkpoint, head }: Draft,
  hashes: ConfigurationHashes,
): Promise<void> {
  const { since, firstDay } = head;
  const data: AuditCheckpoint = {
    number: (sealing.head?.number ?? 0) + 1,
    ...checkpoint,
    since,
    firstDay,
    ...hashes,
    sealedAt: new Date(sealing.clock.now()).toISOString(),
    previousSha256: sealing.head?.sha256 ?? null,
  };
  await moveHead(sealing, {
    number: data.number,
    sha256: checkpointSha256(data),
    ...head,
    pending: data,
    amending: null,
  });
  sealing.appended += 1;
  await announce(sealing);
}

/** Publishes the pending checkpoint before the chain grows. A repetition has the same id and data. */
export async function announce(sealing: Sealing): Promise<void> {
  const { head, settings, requestId, bus, log } = sealing;
  if (head?.pending == null) return;
  const { pending } = head;
  const notice = toNotice({
    type: 'AuditCheckpointCreated',
    sourceId: settings.sourceId,
    requestId,
    observedAt: Date.parse(pending.sealedAt),
    data: pending,
    key: `checkpoint:${pending.number}`,
  });
  const [outcome] = await bus.publish([notice], { deadlineAt: sealing.publishBy });
  if (outcome?.status !== 'accepted') throw notAccepted(pending.number, outcome);
  await moveHead(sealing, { ...head, pending: null });
  const { number, kind, day, amendment, entries } = pending;
  log.info('Sealed.', { number, kind, day, amendment, entries });
}

/** Replaces the head. Rejects with HeadConflict if it is no longer the one that was read. */
export async function moveHead(sealing: Sealing, next: AuditHead): Promise<void> {
  const { chain, settings, head } = sealing;
  if (!(await chain.replaceHead(settings.sourceId, head, next)))
    throw new HeadConflict('Another invocation has moved the head of the chain.');
  sealing.head = next;
}

function notAccepted(number: number, outcome: { status: string; code?: string } | undefined): BridgeError {
  return new BridgeError(
    'PublishFailed',
    `The bus did not accept checkpoint ${number}. It stays pending, and the next invocation publishes it again.`,
    { retryable: outcome?.status !== 'refused', details: { number, busCode: outcome?.code } },
  );
}
