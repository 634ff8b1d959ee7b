// Entries held in quarantine because they seem to be published under another id (S74): an operator publishes or removes
// them; those that nobody has named for three days are published.
import { chunksOf } from '../../shared/chunks.ts';
import { LEDGER_LIFE_MS } from '../../source/ledger-record.ts';
import { HELD, HELD_MS } from '../../source/quarantine-reasons.ts';
import { MAX_REDRIVEN } from '../../source/redrive.ts';
import { redrive } from '../redrive.ts';
import type { Run } from '../run/run.ts';

type Holding = Pick<Run, 'record' | 'context' | 'sinks' | 'deadline'>;

/** Stored before the first one is held: once it is in the ledger, no run would meet it again. */
export async function noteHeld({ record, context }: Pick<Run, 'record' | 'context'>): Promise<void> {
  if (record.state.heldUntil !== undefined) return;
  record.commit({ heldUntil: context.clock.now() + HELD_MS });
  await record.save();
}

/**
 * Publishes what is due; the next run goes on where time or bus did not allow it. What the bus refuses for good is
 * tried again three days later.
 */
export async function publishHeld(run: Holding): Promise<void> {
  const { record, context, sinks, deadline } = run;
  const { settings, clock, log } = context;
  const { sourceId } = settings;
  const now = clock.now();
  if (now < (record.state.heldUntil ?? Infinity)) return;
  const { quarantine, bus, auditTrail } = sinks;
  const held = (await quarantine.list(sourceId)).filter(({ reason }) => reason === HELD);
  const isDue = ({ quarantinedAt }: { quarantinedAt: number }): boolean => quarantinedAt + HELD_MS <= now;
  const due = held.filter(isDue).map(({ eventId }) => eventId);
  if (due.length > 0) await announce(run, now);
  const read = async (eventId: string) => await quarantine.read(sourceId, eventId);
  for (const eventIds of chunksOf(due, MAX_REDRIVEN)) {
    if (deadline.isOver()) return;
    const outcomes = await redrive({ settings, read, bus, auditTrail, log, deadlineAt: deadline.publishAt }, eventIds);
    for (const { eventId } of outcomes.filter(({ outcome }) => outcome === 'accepted'))
      await quarantine.release(sourceId, eventId, now + LEDGER_LIFE_MS);
    if (outcomes.some(({ outcome }) => outcome === 'failed')) return;
  }
  const next = held.map((entry) => (isDue(entry) ? now : entry.quarantinedAt) + HELD_MS);
  record.commit({ heldUntil: held.length === 0 ? undefined : Math.min(...next) });
}

async function announce({ sinks }: Pick<Run, 'sinks'>, now: number): Promise<void> {
  const after = `published, ${new Date(now).toISOString().slice(0, 10)}`;
  await sinks.notices.send('SourceResponseChanged', `held:${after}`, { kind: 'entryIds', before: 'held', after });
}
