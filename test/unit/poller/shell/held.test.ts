import { describe, expect, it } from 'vitest';
import { createDeadline } from '../../../../functions/poller/run/deadline.ts';
import { noteHeld, publishHeld } from '../../../../functions/poller/shell/held.ts';
import type { PublishOutcome } from '../../../../functions/source/ports.ts';
import { HELD, HELD_MS } from '../../../../functions/source/quarantine-reasons.ts';
import type { SourceState } from '../../../../functions/source/state.ts';
import { createMemoryPorts } from '../../../support/memory-ports.ts';
import { contextOf, HOUR, MINUTE, NOW, recordOf, sinksOf } from '../builders.ts';

const failed: PublishOutcome = { status: 'failed', code: 'InternalFailure', message: 'try later' };
const refused: PublishOutcome = { status: 'refused', code: 'MalformedDetail', message: 'not JSON' };
const metadata = JSON.stringify({ actionKey: 'a', occurredAt: null, observedAt: '2026-11-20T09:00:00Z' });

type Scene = { state?: Partial<SourceState>; outcomes?: Record<string, PublishOutcome>; remainingMs?: number };

/** Entries in quarantine, by their ids, with the hours since they were put there; `bus` refused one. */
function sceneOf(hours: Record<string, number>, { state, outcomes = {}, remainingMs = MINUTE }: Scene = {}) {
  const context = contextOf();
  const ports = createMemoryPorts({ now: () => NOW, outcomeOf: ({ id }) => outcomes[id] ?? { status: 'accepted' } });
  for (const [eventId, ago] of Object.entries(hours)) {
    const reason = eventId === 'bus' ? 'MalformedDetail' : HELD;
    const kept = { eventId, sourceId: 'acme', reason, message: '', entry: '{}', metadata };
    ports.quarantined.push({ ...kept, quarantinedAt: NOW - ago * HOUR });
  }
  const deadline = createDeadline(() => NOW, remainingMs);
  const record = recordOf({ heldUntil: NOW, ...state });
  return { run: { context, record, deadline, sinks: sinksOf(context, ports, deadline.publishAt) }, ...ports };
}

describe('entries that are held', () => {
  it('are published after 72 hours, with one notice before them, and are in the trail then', async () => {
    const { run, events, quarantined, trail } = sceneOf({ a: 72, b: 80, c: 71, bus: 90 });

    await publishHeld(run);

    expect(events.map(({ id, detailType }) => (detailType === 'SourceResponseChanged' ? 'notice' : id))).toEqual([
      'notice',
      'a',
      'b',
    ]);
    expect(quarantined.map(({ eventId }) => eventId)).toEqual(['c', 'bus']);
    expect(trail).toMatchObject([
      { id: 'a', quarantined: false },
      { id: 'b', quarantined: false },
    ]);
    expect(run.record.state.heldUntil).toBe(NOW + HOUR);
  });

  it.each<[string, Record<string, number>, Scene, number | undefined]>([
    ['are not looked for before', { a: 80 }, { state: { heldUntil: NOW + 1 } }, NOW + 1],
    ['are gone where an operator has taken them out', { bus: 90 }, {}, undefined],
    ['are due still where the bus fails', { a: 80 }, { outcomes: { a: failed } }, NOW],
    ['are due still where the time of the run is over', { a: 80 }, { remainingMs: 0 }, NOW],
    [
      'are tried again three days later where the bus refuses them',
      { a: 80 },
      { outcomes: { a: refused } },
      NOW + HELD_MS,
    ],
  ])('%s', async (_what, hours, scene, heldUntil) => {
    const { run, quarantined } = sceneOf(hours, scene);

    await publishHeld(run);

    expect(quarantined).toHaveLength(1);
    expect(run.record.state.heldUntil).toBe(heldUntil);
  });

  it('are due three days after the first of them, which is stored before it is held', async () => {
    const { run } = sceneOf({}, { state: { heldUntil: undefined } });
    let saved = 0;
    const record = { ...run.record, state: run.record.state, save: async () => void (await Promise.resolve(saved++)) };

    await noteHeld({ ...run, record });
    await noteHeld(run);

    expect(saved).toBe(1);
    expect(run.record.state.heldUntil).toBe(NOW + HELD_MS);
  });
});
