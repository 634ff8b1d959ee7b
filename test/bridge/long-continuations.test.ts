// @module-tag long
// Continuations that are awkward, long or refused: they arrive unchanged, or windows are split by time instead.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { personalities, type Personality } from '../../infra/membership-service/service.ts';
import { isPage, json, startRelayedWorld } from '../support/relay.ts';
import { startUnfinishedSweep } from '../support/unfinished-sweep.ts';
import { startWorld, type World } from '../support/world.ts';

const { ordinary } = personalities;
/** Two pages: each refusal costs a pause. */
const HISTORY = { entries: 26, days: 1 };
const PAST = { startFrom: 'beginning', pageSize: 10 };
const AWKWARD = '+/=#&%"{}\\ é漢🙂';

const withContinuation = (
  knobs: Partial<Personality['continuation']>,
  addresses = ordinary.addresses,
): Personality => ({ ...ordinary, addresses, continuation: { ...ordinary.continuation, ...knobs } });

const statuses = ({ service }: World): (number | null)[] =>
  service.requests.recent.filter(({ path }) => path === '/app/actionlogs').map(({ status }) => status);

describe('a continuation', () => {
  test('of awkward characters in a header arrives byte for byte, over runs too (S14)', async () => {
    const place = { in: 'header', name: 'x-request-continuation' } as const;
    const personality = withContinuation({ alphabet: AWKWARD, place });

    const world = await startUnfinishedSweep(3, { personality });
    await world.tickUntilDone();

    // The service refuses a token that differs by one character.
    expect(new Set(statuses(world))).toEqual(new Set([200]));
    expect(world.events()).toHaveLength(40);
    await world.assertNothingLost();
  });

  test('of 12,000 characters is stored and sent on by the next run (S15)', async () => {
    const world = await startUnfinishedSweep(3, {
      personality: withContinuation({ length: 12_000, alphabet: AWKWARD }),
    });
    const token = (await world.stored()).state?.cursor?.windows.at(-1)?.continuation;

    await world.tickUntilDone();

    expect(token?.length).toBeGreaterThanOrEqual(12_000);
    expect(new Set(statuses(world))).toEqual(new Set([200]));
    await world.assertNothingLost();
  });

  test('of 12,000 characters that is refused with 414 for its length has the window split until it fits (S15)', async () => {
    const addresses = { maximumCharacters: 8_000, tooLongStatus: 414 } as const;
    const personality = withContinuation({ length: 12_000 }, addresses);
    const world = await startWorld({ personality, history: HISTORY, settings: { ...PAST, pageSize: 20 } });

    await world.tickUntilDone();

    expect(statuses(world)).toContain(414);
    expect(world.notices().map(({ detailType }) => detailType)).not.toContain('GapDetected');
    expect(await world.assertNothingLost()).toMatchObject({ events: 26, duplicates: 0 });
  });

  test('that is not the cause, because the address is too long without it, fails the run with a clear code (S15)', async () => {
    const world = await startWorld({
      personality: withContinuation({}, { maximumCharacters: 20, tooLongStatus: 414 }),
      history: HISTORY,
    });

    const { error } = await world.tryTick();

    expect(error).toMatchObject({ code: 'RequestRefused' });
    expect(error?.errorMessage).toContain('414');
    expect((await world.stored()).state?.baselineOpen).toBe(true);
  });

  test('refused with 410 at once is retried once, then its window begins again, then is split: never a reset to now (S16)', async () => {
    const sent: (string | null)[] = [];
    const { world, through } = await startRelayedWorld(
      { history: HISTORY, settings: { ...PAST, pageSize: 20 } },
      async (request, pass) => {
        if (!isPage(request)) return await pass();
        sent.push(request.query.get('requestContinuation'));
        return request.query.has('requestContinuation') ? json({ isValid: false, errors: [] }, 410) : await pass();
      },
    );

    await world.tickUntilDone(through);

    const [live, first, second, third, fourth, fifth] = sent.slice(sent.findIndex((token) => token !== null) - 2);
    expect(live).toBeNull();
    expect([first, third, fourth]).toMatchObject([null, second, null]);
    expect(fifth).toBeTypeOf('string');
    expect((await world.stored()).state?.publishFrom).toBeNull();
    expect(await world.assertNothingLost({ override: through })).toMatchObject({ events: 26, duplicates: 0 });
  });

  test('refused in the next run costs a retry and no entry (S16)', async () => {
    const personality = withContinuation({ kind: 'expiring', lifetimeMs: 1_500, refusedWith: 410 });
    const world = await startUnfinishedSweep(3, { personality });
    await sleep(1_600);

    await world.tickUntilDone();

    expect(statuses(world)).toContain(410);
    expect(await world.assertNothingLost()).toMatchObject({ events: 40, duplicates: 0 });
  });
});
