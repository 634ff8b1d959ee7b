// A fact about the service that turns out otherwise: its notice is sent before the new fact is stored (S68).
import { describe, expect, it } from 'vitest';
import type { ActionLogPage } from '../../../functions/membership/action-log.ts';
import { queryHashOf } from '../../../functions/poller/request/query.ts';
import type { PollResult } from '../../../functions/poller/result.ts';
import { BridgeError } from '../../../functions/shared/errors.ts';
import type { JsonObject } from '../../../functions/shared/json.ts';
import type { SourceState } from '../../../functions/source/state.ts';
import { personalities } from '../../../infra/membership-service/personality/personalities.ts';
import { createPollWorld, pageOf, type PollWorld } from '../../support/poll-world.ts';
import { DAY, MINUTE, sweepOf, windowOf } from '../../unit/poller/builders.ts';

/** An entry that occurred so many ms ago; its stamp ends with `zone`. */
type Entry = (agoMs: number, more?: JsonObject, zone?: '' | 'Z' | '+00:00') => JsonObject;

type Scene = {
  kind: string;
  /** What the service answers in the run that contradicts, and from then on. */
  page: (entry: Entry) => Partial<ActionLogPage>;
  /** What it answered in the runs before, so many times. */
  before?: { page: (entry: Entry) => Partial<ActionLogPage>; times: number };
  /** The stored state that the run finds. */
  found?: (world: PollWorld) => Partial<SourceState>;
  /** The fact as it is stored, before and after. */
  fact: (state: SourceState) => unknown;
  was: unknown;
  becomes: unknown;
  /** The run that sends the notice fails with this code by design. */
  code?: string;
  /** The page has nothing to publish. */
  isKnown?: true;
  /** Each continuation brings the same page again. */
  isEndless?: true;
};

const entriesOf = (count: number, entryOf: (index: number) => JsonObject): JsonObject[] =>
  Array.from({ length: count }, (_, index) => entryOf(index));

const SAME = { id: 'same', createdOn: '2026-03-10T08:45:00.000Z' };

const SCENES: Scene[] = [
  {
    kind: 'timeField',
    page: (entry) => ({
      entries: entriesOf(12, (index) => {
        const { createdOn, ...rest } = entry(index);
        return { ...rest, loggedAt: createdOn ?? null };
      }),
    }),
    fact: ({ profile }) => profile.fields.time,
    was: '/createdOn',
    becomes: '/loggedAt',
  },
  {
    kind: 'stampForm',
    page: (entry) => ({ entries: [entry(0, {}, '+00:00')] }),
    fact: ({ profile }) => profile.stamps.form,
    was: 'utc',
    becomes: 'offset',
  },
  {
    kind: 'continuation',
    page: (entry) => ({ entries: [entry(0)], body: { nextContinuation: 'more' } }),
    fact: ({ profile }) => profile.continuation.place,
    was: '/requestContinuation',
    becomes: '/nextContinuation',
  },
  {
    kind: 'startDate',
    page: (entry) => ({ entries: entriesOf(3, (index) => entry((9 + index) * DAY)) }),
    fact: ({ profile }) => profile.filters.ignoresStart,
    was: false,
    becomes: true,
  },
  {
    kind: 'walkEnd',
    before: { page: () => ({ body: { requestContinuation: 'more' } }), times: 2 },
    page: () => ({ body: { requestContinuation: 'more' } }),
    fact: ({ profile }) => profile.continuation.endsWalks,
    was: true,
    becomes: false,
    code: 'WalkDidNotEnd',
    isKnown: true,
    isEndless: true,
  },
  {
    kind: 'filters',
    found: ({ now, settings }) => {
      const window = windowOf({
        from: now() - 10 * MINUTE,
        to: now() - 5 * MINUTE,
        stage: { name: 'widened', restarts: 0, margin: 'days' },
        sentinels: [{ id: 'does not come back', at: now() - 7 * MINUTE }],
      });
      return { cursor: sweepOf({ startedAt: now(), windows: [window], queryHash: queryHashOf(settings) }) };
    },
    page: () => ({}),
    // Nothing of it is stored: the window is not given up before the notice was sent.
    fact: ({ cursor }) => cursor === null,
    was: false,
    becomes: true,
    isKnown: true,
  },
  {
    kind: 'timeZone',
    before: { page: (entry) => ({ entries: [entry(-60 * MINUTE, {}, '')] }), times: 2 },
    page: (entry) => ({ entries: [entry(-60 * MINUTE, {}, '')] }),
    fact: ({ profile: { stamps } }) => ({ quarters: stamps.zoneShift.quarters, count: stamps.zoneShift.count }),
    was: { quarters: 4, count: 2 },
    becomes: { quarters: 4, count: 3 },
  },
  {
    kind: 'entryContent',
    before: { page: (entry) => ({ entries: [entry(0, { ...SAME, note: 'before' })] }), times: 1 },
    page: (entry) => ({ entries: [entry(0, { ...SAME, note: 'after' })] }),
    // Nothing of it is stored either.
    fact: () => null,
    was: null,
    becomes: null,
    isKnown: true,
  },
];

/** A run in which the service answers with `page`, and the continuation of it, where it has one, with `rest`. */
type Answers = { page: Partial<ActionLogPage>; rest: Partial<ActionLogPage> };
type Refused = 'notice' | 'events' | null;

async function play(scene: Scene) {
  const settings = { startFrom: 'beginning', timeZone: 'UTC' };
  const world = createPollWorld({ personality: personalities.ordinary, seed: 2, settings });
  let serial = 0;
  const entry: Entry = (agoMs, more = {}, zone = 'Z') => {
    serial += 1;
    const createdOn = new Date(world.now() - agoMs).toISOString().replace('Z', zone);
    return { id: `entry ${serial}`, createdOn, actionKey: 'ContactUpdated', ...more };
  };
  let found: Partial<SourceState> = {};
  const tick = async ({ page, rest }: Answers, refused: Refused = null): Promise<PollResult | Error> => {
    world.advance(MINUTE);
    return await world.tick({
      instead: {
        acquire: async (usual, request) => {
          const taken = await usual(request);
          return taken?.state ? { ...taken, state: { ...taken.state, ...found } } : taken;
        },
        readPage: async (_usual, { requestContinuation }) =>
          pageOf([], requestContinuation === undefined ? page : rest),
        publish: async (usual, events, options) => {
          const kind = events[0]?.detailType === 'SourceResponseChanged' ? 'notice' : 'events';
          if (kind !== refused) return await usual(events, options);
          return events.map(() => ({ status: 'failed', code: 'InternalFailure', message: '' }));
        },
      },
    });
  };
  const answers = (page: Partial<ActionLogPage>): Answers => ({ page, rest: scene.isEndless ? page : {} });
  await tick({ page: { entries: [entry(0)], body: { requestContinuation: 'more' } }, rest: {} });
  for (let count = 0; count < (scene.before?.times ?? 0); count += 1)
    await tick(answers(scene.before?.page(entry) ?? {}));
  world.advance(MINUTE);
  const page = scene.page(entry);
  world.advance(-MINUTE);
  found = scene.found?.(world) ?? {};
  const kind = scene.kind;
  const notices = (): number => world.published.filter(({ detail }) => detail.includes(`"kind":"${kind}"`)).length;
  return {
    tick: async (refused: Refused = null) => {
      const result = await tick(answers(page), refused);
      found = {};
      return result instanceof BridgeError ? result.code : null;
    },
    seen: () => ({ fact: scene.fact(world.state() as SourceState), notices: notices() }),
  };
}

describe('a fact about the service', () => {
  it.each(SCENES)(
    'is not stored where the bus refuses its notice, so that the next run sends it, once (S68): $kind',
    async (scene) => {
      const { was, becomes, code = null } = scene;
      const { tick, seen } = await play(scene);

      expect(seen().notices).toBe(0);
      expect([await tick('notice'), seen()]).toEqual(['PublishFailed', { fact: was, notices: 0 }]);
      expect([await tick(), seen()]).toEqual([code, { fact: becomes, notices: 1 }]);
      await tick();
      expect(seen()).toEqual({ fact: becomes, notices: 1 });
    },
  );

  it.each(SCENES.filter(({ isKnown }) => !isKnown))(
    'is stored once its notice was sent, even if its page cannot be published (S68): $kind',
    async (scene) => {
      const { becomes } = scene;
      const { tick, seen } = await play(scene);

      expect([await tick('events'), seen()]).toEqual(['PublishFailed', { fact: becomes, notices: 1 }]);
      await tick();
      expect(seen().notices).toBe(1);
    },
  );
});
