// A live sweep that a run did not finish: its cursor is stored with a continuation.
import { expect } from 'vitest';
import { rewriteState } from './stored-state.ts';
import { startWorld, type World, type WorldOptions } from './world.ts';

export const PAGE_SIZE = 5;
export const WRITTEN = 40;

/** Starts a world in which a run has read only `pages` of forty new entries, because its requests were used up. */
export async function startUnfinishedSweep(
  pages: number,
  { settings, ...options }: Omit<WorldOptions, 'timeoutMs' | 'history'> = {},
): Promise<World> {
  const world = await startWorld({ timeoutMs: 5_000, settings: { pageSize: PAGE_SIZE, ...settings }, ...options });
  await world.tickUntilDone();
  await knowBorders(world);
  for (let index = 0; index < WRITTEN; index += 1)
    world.service.write({ actionKey: 'ContactUpdated', memberName: `Member ${index}` });
  const result = await world.tick({ maxRequestsPerMinute: world.service.requests.actionlogs + pages });
  expect(result).toMatchObject({ outcome: 'continuing', eventsPublished: pages * PAGE_SIZE });
  return world;
}

/** Nothing is left to be asked of how pages begin: entries of one millisecond would be the occasion. */
export async function knowBorders(world: World): Promise<void> {
  await rewriteState(world, (state) => {
    const { profile } = state;
    return { ...state, profile: { ...profile, pages: { ...profile.pages, border: 'kept' } } };
  });
}
