// Entries whose time is in UTC by the name of its field, in an organisation of another zone (S79). The service reads
// startDate and endDate in the organisation's zone.
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { canonicalJson, parseJson, scalarText, type JsonObject } from '../../../functions/shared/json.ts';
import { personalities } from '../../../infra/membership-service/personality/personalities.ts';
import type { createPollWorld as create, Instead, PollWorld } from '../../support/poll-world.ts';
import { MINUTE } from '../../unit/poller/builders.ts';

/** Versions before did not look at names: the one thing that differs. */
const before = { isRead: true };
let createPollWorld: typeof create;
beforeAll(async () => {
  // Files of this project share their modules: what one of them has imported would not be replaced.
  vi.resetModules();
  vi.doMock(UTC_NAMES, async () => {
    const { saysUtc } = await vi.importActual<{ saysUtc: (name: string) => boolean }>(UTC_NAMES);
    return { saysUtc: (name: string) => before.isRead && saysUtc(name) };
  });
  ({ createPollWorld } = await import('../../support/poll-world.ts'));
});
afterAll(() => {
  vi.doUnmock(UTC_NAMES);
  vi.resetModules();
});
beforeEach(() => void (before.isRead = true));

const HOUR = 60 * MINUTE;
const UTC_NAMES = '../../../functions/poller/identity/utc-names.ts';

type Service = { timeZone: string; order?: 'ascending' | 'descending'; kind?: 'none'; ids?: 'none' };

function createScene({ timeZone, order = 'descending', kind, ids }: Service, settings: Record<string, unknown> = {}) {
  const personality = {
    ...personalities.ordinary,
    order,
    ...(ids && { ids }),
    continuation: { ...personalities.ordinary.continuation, ...(kind && { kind }) },
    stamps: { form: 'wall', fractionDigits: 3, timeZone },
    filters: { ...personalities.ordinary.filters, zone: 'ignoresOffset' },
    pages: { ...personalities.ordinary.pages, maximum: 20, default: 20 },
  } as const;
  return createPollWorld({ personality, seed: 79, settings });
}

const { time: TIME } = personalities.ordinary.fieldNames;

const ZONES = ['Europe/Istanbul', 'America/New_York', 'Asia/Kathmandu'];
/** Made once: one for each entry would be most of the time of these tests. */
const walls = Object.fromEntries(
  ZONES.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' }),
  ]),
);

/** A wall time of the zone as one in UTC. No hour of these tests comes twice. */
function toUtc(wall: string, timeZone: string): string {
  const asUtc = Date.parse(`${wall}Z`);
  const shown = walls[timeZone]!.format(asUtc);
  const offset = Date.parse(`${shown.replace(' ', 'T')}Z`) - Math.floor(asUtc / 1_000) * 1_000;
  return new Date(asUtc - offset).toISOString().slice(0, -1);
}

function rewritten(entry: JsonObject, timeZone: string): JsonObject {
  const { [TIME]: time, ...others } = entry;
  return { ...others, createdOnUtc: toUtc(scalarText(time) ?? '', timeZone) };
}

/** The service writes the time of an entry in UTC, and its field says so. */
function inUtc({ settings }: PollWorld): Instead {
  return {
    readPage: async (usual, ...asked) => {
      const page = await usual(...asked);
      return { ...page, entries: page.entries.map((entry) => rewritten(entry, settings.timeZone)) };
    },
  };
}

const detailsOf = ({ published }: PollWorld) =>
  published.map(({ detail, detailType, at }) => ({
    detailType,
    at,
    ...(JSON.parse(detail) as { metadata: { id: string; occurredAt?: string; late?: boolean }; data: unknown }),
  }));
const entriesOf = (world: PollWorld) => detailsOf(world).filter(({ metadata }) => metadata.occurredAt !== undefined);
const noticesOf = (world: PollWorld) =>
  detailsOf(world).flatMap(({ detailType, metadata, data }) =>
    metadata.occurredAt === undefined ? [`${detailType} ${JSON.stringify(data)}`] : [],
  );

/** Polls so many times, with an action before each. */
async function pollFor(world: PollWorld, times: number, everyMs = MINUTE): Promise<void> {
  const instead = inUtc(world);
  for (let time = 0; time < times; time += 1) {
    world.act();
    world.advance(everyMs / 2);
    await world.tick({ instead });
    world.advance(everyMs / 2);
  }
}

describe('a field of entries whose name says UTC (S79)', () => {
  it.each(ZONES)(
    'is read in UTC in an organisation of %s: nothing is late, and nothing is reported',
    async (timeZone) => {
      const world = createScene({ timeZone });
      await world.tick({ instead: inUtc(world) });
      await pollFor(world, 20);
      const entries = entriesOf(world);

      expect(entries).toHaveLength(20);
      expect(
        Math.max(...entries.map(({ at, metadata }) => Math.abs(at - Date.parse(metadata.occurredAt ?? '')))),
      ).toBeLessThan(MINUTE);
      expect(entries.filter(({ metadata }) => metadata.late === true)).toEqual([]);
      expect(noticesOf(world)).toEqual([]);
    },
  );

  const [idle, busy] = ['between two runs', 'while a burst and the past are being read'];
  it.each<[string, Service]>([
    [idle, { timeZone: 'America/New_York' }],
    [busy, { timeZone: 'America/New_York' }],
    [busy, { timeZone: 'Europe/Istanbul', order: 'ascending' }],
    [busy, { timeZone: 'Europe/Istanbul', kind: 'none' }],
    [busy, { timeZone: 'Europe/Istanbul', ids: 'none' }],
  ])(
    'of a running source goes on %s: nothing lost, nothing under another id, nothing twice (%j)',
    async (when, service) => {
      const [settings, burst] = when === busy ? [{ startFrom: 'P2D', pageSize: 5 }, 60] : [{}, 0];
      const world = createScene(service, settings);
      const instead = inUtc(world);
      before.isRead = false;
      world.act(30, 1_000);
      world.advance(5 * HOUR);
      await world.tick({ instead });
      await pollFor(world, 3 * 12, 5 * MINUTE);
      await pollFor(world, 20);
      world.act(burst, 1_000);
      if (burst > 0) {
        world.weather.service.answerMs = 5_000;
        await world.tick({ instead });
        world.weather.service.answerMs = 0;
      }
      const upgradedAt = world.now();
      const [earlier, told] = [entriesOf(world), noticesOf(world).length];
      before.isRead = true;
      await pollFor(world, 20);
      for (let run = 0; run < 10; run += 1) {
        await world.tick({ instead });
        world.advance(HOUR);
      }
      const published = entriesOf(world);
      const textOf = (entry: unknown): string => canonicalJson(parseJson(JSON.stringify(entry)));
      const times = Map.groupBy(published, ({ data }) => textOf(data));
      const written = world.service.log.written.map(({ json, createdAt }) => ({
        text: textOf(rewritten(JSON.parse(json) as JsonObject, service.timeZone)),
        createdAt,
      }));
      const surplus = [...Map.groupBy(written, ({ text }) => text)].map(([text, copies]) => ({
        by: (times.get(text)?.length ?? 0) - copies.length,
        isNew: copies.some(({ createdAt }) => createdAt >= upgradedAt - HOUR),
      }));

      expect(earlier.length).toBeGreaterThan(50);
      // The earlier version was at work: it read the newest entries, too, hours from where they are.
      for (const { at, metadata } of earlier.slice(-10))
        expect(Math.abs(at - Date.parse(metadata.occurredAt ?? ''))).toBeGreaterThan(2 * HOUR);
      // What the earlier version took for older than the start of the source stays baseline.
      expect(surplus.filter(({ by, isNew }) => by > 0 || (isNew && by < 0))).toEqual([]);
      expect(new Set(published.map(({ metadata }) => metadata.id)).size).toBe(published.length);
      // What was hidden by the wrong hours may be found late, and gaps from before it may be summed up.
      const isOfBefore = (notice: string): boolean =>
        notice.startsWith('LateEntriesFound') ||
        (notice.startsWith('GapDetected') && Date.parse(/"to":"([^"]*)"/.exec(notice)?.[1] ?? '') < upgradedAt);
      expect(
        noticesOf(world)
          .slice(told)
          .filter((notice) => !isOfBefore(notice)),
      ).toEqual([]);
    },
  );
});
