// Random histories of a source: entries in time and late, sweeps, a trail switched off and on, sealers killed and held.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dayOf } from '../../../functions/audit/seal/days.ts';
import { BridgeError } from '../../../functions/shared/errors.ts';
import { at, createSealWorld, expectProven, HOUR, Killed, type OnStep, type SealWorld } from './seal-world.ts';

const BEGUN = at('2026-11-02T08:00:00Z');

type Action =
  | { do: 'append'; daysAgo: number; names: number[] }
  | { do: 'reconcile'; hours: number }
  | { do: 'switch' }
  | { do: 'seal'; killedAfter: number | null; heldBefore: number | null; meanwhile: Action[] };

const small = fc.oneof(
  fc.record({
    do: fc.constant('append' as const),
    daysAgo: fc.oneof(fc.integer({ min: -1, max: 6 }), fc.constant(700_000)),
    names: fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ do: fc.constant('reconcile' as const), hours: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ do: fc.constant('switch' as const) }),
);

/** A sealer and what happens while it is held, which may include another sealer that is killed. */
const sealing = (meanwhile: fc.Arbitrary<Action[]>): fc.Arbitrary<Action> =>
  fc.record({
    do: fc.constant('seal' as const),
    killedAfter: fc.option(fc.integer({ min: 1, max: 40 }), { nil: null }),
    heldBefore: fc.option(fc.integer({ min: 1, max: 40 }), { nil: null }),
    meanwhile,
  });

const nested = fc.array(fc.oneof(small, sealing(fc.constant([]))), { maxLength: 4 });
const actions = fc.array(fc.oneof(small, sealing(nested)), { maxLength: 14 });

async function perform(world: SealWorld, action: Action): Promise<void> {
  if (action.do === 'append') append(world, action);
  else if (action.do === 'reconcile') world.reconciledAt(new Date(world.now + action.hours * HOUR).toISOString());
  else if (action.do === 'switch') switchTrail(world);
  else await world.seal({ onStep: interrupting(world, action) }).catch(ignoreEnd);
}

/** Appends entries whose names contain their day, so that an entry has the same day in every append. */
function append(world: SealWorld, { daysAgo, names }: { daysAgo: number; names: number[] }): void {
  if (world.state?.auditSince === undefined) return;
  const day = dayOf(world.now - daysAgo * 24 * HOUR);
  world.append(day, ...names.map((name) => `${day} ${name}`));
}

function switchTrail(world: SealWorld): void {
  if (world.state === null) return;
  const { auditSince, ...state } = world.state;
  world.now += 1;
  world.state = auditSince === undefined ? { ...state, auditSince: world.now } : state;
}

function interrupting(world: SealWorld, action: Action & { do: 'seal' }): OnStep {
  return async (when, _, count) => {
    if (when === 'before' && count === action.heldBefore)
      for (const inner of action.meanwhile) await perform(world, inner);
    if (when === 'after' && count === action.killedAfter) throw new Killed();
  };
}

/** A sealer that was held for days may reject with AuditBehind. */
function ignoreEnd(error: unknown): void {
  const isBehind = error instanceof BridgeError && error.code === 'AuditBehind';
  if (!isBehind && !(error instanceof Killed)) throw error;
}

/** Switches the trail on, completes a recent sweep, and seals until nothing is left. */
async function settle(world: SealWorld): Promise<void> {
  if (world.state?.auditSince === undefined) switchTrail(world);
  world.reconciledAt(new Date(world.now + HOUR).toISOString());
  for (let left = true; left;) {
    const before = world.head;
    const { checkpoints } = await world.seal();
    left = checkpoints > 0 || before !== world.head;
  }
}

describe('whatever happens to a source and its sealers', () => {
  it('every record of a closed day is sealed once, in one chain that is complete on the bus', async () => {
    await fc.assert(
      fc.asyncProperty(actions, async (story) => {
        const world = createSealWorld();
        world.now = BEGUN;
        for (const action of story) await perform(world, action);
        await settle(world);
        expectProven(world);
        expect(daysOutOfOrder(world)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

/**
 * The checkpoints that do not seal the day that is due. Between two of kind `begin` no day is sealed twice; only days
 * before the trail began may be left out, and their records would make `expectProven` fail.
 */
function daysOutOfOrder(world: SealWorld): unknown[] {
  let due = '';
  const wrong = world.checkpoints().filter(({ kind, day, firstDay, since }) => {
    if (kind === 'amendment') return false;
    const isWrong = kind === 'begin' ? firstDay < due : !isDue(day ?? '', due, since);
    due = kind === 'begin' ? firstDay : dayOf(Date.parse(day ?? '') + 24 * HOUR);
    return isWrong;
  });
  return due === world.head?.nextDay ? wrong : [...wrong, world.head];
}

function isDue(day: string, due: string, since: string): boolean {
  return day === due || (day > due && day <= since.slice(0, 10));
}
