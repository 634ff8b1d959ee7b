// What attempts show of their destinations: facts in their states, hints, and notices for people.
import { type DestinationState, newState } from '../destinations/state.ts';
import type { Outcome } from './delivery.ts';
import { afterFailure, isSlow, slowUntil } from './health.ts';
import type { Surroundings } from './ports.ts';

/** SQS delays a message at most so long. */
const MAX_HINT_MS = 900_000;

/** Of any number of destinations, each noted once. A notice that fails is tried again with the next failure. */
export async function noteOutcomes(
  outcomes: readonly Outcome[],
  { states }: { states: Map<string, DestinationState> },
  surroundings: Surroundings,
): Promise<void> {
  const { table, clock } = surroundings;
  for (const [name, of] of Map.groupBy(outcomes, ({ record }) => record.name)) {
    const state = states.get(name) ?? null;
    const durationsMs = of.map(({ record }) => record.durationMs);
    const until = slowUntil(state, durationsMs, clock.now());
    // Known at once here: the next batch would wait as long.
    if (until !== null) states.set(name, { ...(state ?? newState(name)), slowUntil: until });
    if (until !== null) await table.note(name, { slowUntil: until });
    await noteOne(name, of, state, { states, ...surroundings });
  }
}

async function noteOne(
  name: string,
  outcomes: readonly Outcome[],
  state: DestinationState | null,
  { states, table, clock, hint, tell }: Surroundings & { states: ReadonlyMap<string, DestinationState> },
): Promise<void> {
  const now = clock.now();
  const [{ sourceId } = { sourceId: '' }] = outcomes;
  const failures = outcomes.filter(({ record }) => record.outcome === 'failed' || record.outcome === 'dead');
  const hasSucceeded = outcomes.some(({ record }) => record.outcome === 'delivered');
  if (hasSucceeded && (state?.failingSince ?? null) !== null) await table.note(name, { succeededAt: now });
  const dead = outcomes.filter(({ dead }) => dead !== null).length;
  // Further ones are in its state, and the alarm stays on.
  if (dead > 0 && (state?.dead ?? 0) === 0)
    await tell({ sourceId, type: 'WebhookDeliveriesGivenUp', name, count: dead, at: now });
  if (failures.length === 0) return;
  const notBefore = Math.max(...failures.map((one) => one.notBefore ?? 0));
  await table.note(name, { failedAt: now, ...(notBefore > now ? { notBefore } : {}) });
  const next = Math.min(...failures.map(({ next }) => Math.max(next?.dueAt ?? Infinity, notBefore)));
  // A hint is taken by those who take live events: a slow receiver waits for the next minute.
  if (next - now <= MAX_HINT_MS && !isSlow(states.get(name) ?? null, now))
    await hint(name, Math.ceil((next - now) / 1_000));
  const isGone = failures.some(({ record }) => record.status === 410);
  const change = hasSucceeded && !isGone ? null : afterFailure(state, isGone ? 410 : null, now);
  if (change?.kind === 'disable' && (await table.writeHalt(name, change.halt)))
    await tell({ sourceId, type: 'WebhookEndpointDisabled', name, why: change.halt.why, at: now });
  if (change?.kind === 'warn') {
    await tell({ sourceId, type: 'WebhookEndpointFailing', name, failingSince: change.failingSince, at: now });
    await table.note(name, { warnedFor: change.failingSince });
  }
}
