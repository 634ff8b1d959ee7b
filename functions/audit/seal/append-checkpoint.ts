// One link more: into the head first, which decides between two invocations, and then onto the bus.
import { toNotice } from '../../events/notices.ts';
import { BridgeError } from '../../shared/errors.ts';
import { type AuditCheckpoint, type AuditHead, checkpointSha256 } from '../checkpoint.ts';
import type { Draft, Sealing } from './sealing.ts';
import type { Stamps } from './stamps.ts';

/** Another invocation was faster; what it wrote stands. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

/** Chains a checkpoint to the head and announces it. Throws Overtaken where another invocation has moved the head. */
export async function chainUp(sealing: Sealing, { checkpoint, head }: Draft, stamps: Stamps): Promise<void> {
  const { since, firstDay } = head;
  const data: AuditCheckpoint = {
    number: (sealing.head?.number ?? 0) + 1,
    ...checkpoint,
    since,
    firstDay,
    ...stamps,
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
  sealing.made += 1;
  await announce(sealing);
}

/** Publishes the pending checkpoint, and does not let the chain go on before the bus has it. Given twice, it has the same id and the same data. */
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
  const [outcome] = await bus.publish([notice], { deadlineAt: sealing.publishAt });
  if (outcome?.status !== 'accepted') throw notTaken(pending.number, outcome);
  await moveHead(sealing, { ...head, pending: null });
  const { number, kind, day, amendment, entries } = pending;
  log.info('Sealed.', { number, kind, day, amendment, entries });
}

/** Throws Overtaken where the head is no longer the one that was read. */
export async function moveHead(sealing: Sealing, next: AuditHead): Promise<void> {
  const { chain, settings, head } = sealing;
  if (!(await chain.replaceHead(settings.sourceId, head, next)))
    throw new Overtaken('Another invocation has moved the head of the chain.');
  sealing.head = next;
}

function notTaken(number: number, outcome: { status: string; code?: string } | undefined): BridgeError {
  return new BridgeError(
    'PublishFailed',
    `The bus did not take checkpoint ${number}; it stays pending, and the next invocation gives it again.`,
    { retryable: outcome?.status !== 'refused', details: { number, busCode: outcome?.code } },
  );
}
