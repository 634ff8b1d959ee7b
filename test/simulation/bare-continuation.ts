// What a simpler design loses in the simulation's worlds: the service's continuation as the only cursor, from the first
// complete reading on. It publishes each page before it stores the next continuation, so it loses nothing by a crash,
// and begins again where a continuation is refused.
import type { LoggedEntry } from '../../infra/membership-service/action-log/entries.ts';
import { findContinuation } from '../../functions/membership/continuation.ts';
import { identifyPage } from '../../functions/poller/identity/identify.ts';
import { toEvent } from '../../functions/poller/publish/entry-to-event.ts';
import { leaseHeld } from '../../functions/poller/result.ts';
import { BridgeError } from '../../functions/shared/errors.ts';
import { createChance, oneChance } from './chance.ts';
import { drawCircumstances } from './circumstances.ts';
import { live, MINUTE_MS } from './life.ts';
import { createWorldOf } from './simulate.ts';
import { fairWeather } from './weather.ts';
import type { Work, World } from './world.ts';

export type BareFigures = { worlds: number; worldsWithLosses: number; entries: number; lost: number };

/** Pages of one run. */
const MAX_PAGES = 50;
const MAX_READ_MS = 15_000;
const LAST_RUNS = 30;

/** Lives through the worlds of some seeds with that design in place of the poller. */
export async function measureBareContinuation(seeds: readonly number[]): Promise<BareFigures> {
  const figures = { worlds: 0, worldsWithLosses: 0, entries: 0, lost: 0 };
  for (const seed of seeds) {
    const { entries, lost } = await liveBarely(seed);
    figures.worlds += 1;
    figures.worldsWithLosses += Number(lost > 0);
    figures.entries += entries;
    figures.lost += lost;
  }
  return figures;
}

async function liveBarely(seed: number): Promise<{ entries: number; lost: number }> {
  const circumstances = drawCircumstances(oneChance(seed));
  const observer = { onRequest: () => {}, onTaken: () => {}, onQuarantined: () => {} };
  const world = createWorldOf(seed, circumstances, { observer, isCalm: true });
  const bridge = createBareBridge(world);
  const usual = world.tick.bind(world);
  world.tick = async (options) => await usual({ ...options, work: bridge.work });
  await live(world, circumstances, (name) => createChance(seed, `life/${name}`));
  Object.assign(world.weather, fairWeather());
  world.service.people.rest();
  world.service.state.reveal();
  for (let run = 0; run < LAST_RUNS; run += 1) {
    await world.tick();
    world.time.pass(MINUTE_MS);
  }
  const due = [...world.book.written.values()].flatMap(({ copies, ids }) => {
    const since = copies.filter((copy) => isSince(copy, bridge.begunAt()));
    return since.map((_, index) => index < ids.size);
  });
  return { entries: due.length, lost: due.filter((isPublished) => !isPublished).length };
}

function isSince({ createdAt }: LoggedEntry, begunAt: number | null): boolean {
  return begunAt !== null && createdAt > begunAt;
}

function createBareBridge(world: World): { work: Work; begunAt: () => number | null } {
  let cursor: string | null = null;
  let begunAt: number | null = null;
  const readOne: (invocation: Parameters<Work>[0]) => Promise<boolean> = async (invocation) => {
    const { session, settings, bus, clock } = invocation;
    const query = { pageSize: settings.pageSize, ...(cursor === null ? {} : { requestContinuation: cursor }) };
    const page = await session.actionLog.readPage(query, { timeoutMs: MAX_READ_MS }).catch(startOver);
    const { sourceId, timeZone } = settings;
    const identified = identifyPage(page.entries, { sourceId, timeZone, idField: null, timeField: null });
    const context = { settings, requestId: '', observedAt: clock.now(), late: false, backfillId: null };
    const events = begunAt === null ? [] : identified.map((entry) => toEvent(entry, context));
    const outcomes = await bus.publish(events, { deadlineAt: clock.now() + MAX_READ_MS });
    if (outcomes.some(({ status }) => status === 'failed')) return false;
    const { value } = findContinuation(page, null, { sent: cursor });
    if (value !== null && value !== cursor) {
      cursor = value;
      return true;
    }
    begunAt ??= world.time.now();
    return false;
  };
  const startOver = (error: unknown): never => {
    if (error instanceof BridgeError && error.code === 'ContinuationRefused') cursor = null;
    throw error;
  };
  return {
    begunAt: () => begunAt,
    work: async (invocation) => {
      invocation.session.attach({ onRequest: async () => {}, refusedVersion: () => null });
      for (let pages = 0; pages < MAX_PAGES; pages += 1) if (!(await readOne(invocation))) break;
      return leaseHeld(invocation.settings.sourceId);
    },
  };
}
