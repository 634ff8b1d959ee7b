import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createRequestBudget,
  nextRequestAt,
  OutOfRequests,
  withRequest,
  type RequestSlot,
} from '../../../functions/poller/request-budget.ts';
import { fakeClock, MINUTE, NOW, SECOND } from './builders.ts';

function sentAt(...instants: number[]): RequestSlot[] {
  return instants.reduce<RequestSlot[]>((slots, at) => withRequest(slots, at), []);
}

describe('the slots of requests', () => {
  it('count the requests of five seconds', () => {
    const slots = sentAt(NOW, NOW + 4_999, NOW + 5_000, NOW + 12_000);

    expect(slots).toEqual([
      { at: NOW, count: 2 },
      { at: NOW + 5_000, count: 1 },
      { at: NOW + 10_000, count: 1 },
    ]);
  });

  it('are dropped once none of their requests lies within a minute', () => {
    const slots = sentAt(NOW + 4_999);

    expect(withRequest(slots, NOW + 64_999)).toHaveLength(2);
    expect(withRequest(slots, NOW + 65_000)).toEqual([{ at: NOW + 65_000, count: 1 }]);
  });

  it('stay few, however many requests are sent (I6)', () => {
    const slots = sentAt(...Array.from({ length: 5_000 }, (_, index) => NOW + index * 137));

    expect(slots.length).toBeLessThanOrEqual(13);
  });

  it('leave those they are made from as they were', () => {
    const slots = sentAt(NOW);

    withRequest(slots, NOW + 1);

    expect(slots).toEqual([{ at: NOW, count: 1 }]);
  });
});

describe('the next request', () => {
  it('may be sent at once while the minute holds fewer than allowed', () => {
    expect(nextRequestAt([], NOW, 1)).toBe(NOW);
    expect(nextRequestAt(sentAt(NOW, NOW, NOW), NOW + 1, 4)).toBe(NOW + 1);
  });

  it('waits until enough of the earliest requests have left the minute', () => {
    const slots = sentAt(NOW, NOW + 10_000, NOW + 10_000, NOW + 20_000);

    expect(nextRequestAt(slots, NOW + 20_000, 4)).toBe(NOW + 65_000);
    expect(nextRequestAt(slots, NOW + 20_000, 3)).toBe(NOW + 75_000);
    expect(nextRequestAt(slots, NOW + 20_000, 2)).toBe(NOW + 75_000);
    expect(nextRequestAt(slots, NOW + 20_000, 1)).toBe(NOW + 85_000);
  });

  it('waits for the earliest of them, even where a run with a slower clock came after it', () => {
    const slots = sentAt(NOW + 10_000, NOW, NOW + 20_000);

    expect(slots.map(({ at }) => at - NOW)).toEqual([0, 10_000, 20_000]);
    expect(nextRequestAt(slots, NOW + 20_000, 3)).toBe(NOW + 65_000);
  });

  it('waits the longer where the rate was lowered between two runs', () => {
    const slots = sentAt(...Array.from({ length: 60 }, (_, index) => NOW + index * SECOND));

    expect(nextRequestAt(slots, NOW + MINUTE, 1)).toBe(NOW + 55_000 + 65_000);
  });
});

/** Sends requests as fast as the budget lets them, with pauses between; the instants at which they were sent. */
function sendAll(perMinute: number, pauses: readonly number[]): number[] {
  let now = NOW;
  let slots: RequestSlot[] = [];
  return pauses.map((pause) => {
    now = nextRequestAt(slots, now + pause, perMinute);
    slots = withRequest(slots, now);
    return now;
  });
}

function mostInAMinute(instants: readonly number[]): number {
  return Math.max(...instants.map((start) => instants.filter((at) => at >= start && at < start + MINUTE).length));
}

describe('any sixty seconds (S31)', () => {
  const pauses = fc.array(fc.oneof(fc.constant(0), fc.nat(500), fc.nat(20_000), fc.nat(90_000)), {
    minLength: 1,
    maxLength: 80,
  });

  it('hold no more requests than are allowed in a minute, however they come', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), pauses, (perMinute, times) => {
        expect(mostInAMinute(sendAll(perMinute, times))).toBeLessThanOrEqual(perMinute);
      }),
    );
  });

  it('hold no more than that where the clocks of two runs differ by seconds', () => {
    const skews = fc.array(fc.integer({ min: -8_000, max: 8_000 }), { minLength: 20, maxLength: 40 });

    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), skews, (perMinute, clocks) => {
        let slots: RequestSlot[] = [];
        let now = NOW;
        const sent = clocks.map((skew) => {
          // Each run sees the time by its own clock; what is sent too soon by another's is no more than the difference.
          const next = nextRequestAt(slots, now + skew, perMinute);
          now = Math.max(now, next - skew);
          slots = withRequest(slots, now + skew);
          return now;
        });
        const span = MINUTE - 16_000;
        const most = Math.max(...sent.map((start) => sent.filter((at) => at >= start && at < start + span).length));

        expect(most).toBeLessThanOrEqual(perMinute);
      }),
    );
  });

  it('are followed by others: the rate is nearly used where there is always something to ask', () => {
    const instants = sendAll(60, Array(600).fill(0) as number[]);

    expect((instants.at(-1) as number) - NOW).toBeLessThan(11 * MINUTE);
  });
});

describe('a clock that was far ahead for one run', () => {
  it('does not hold up the requests of the runs after it', () => {
    const slots = sentAt(NOW + 24 * 60 * MINUTE);

    expect(nextRequestAt(slots, NOW, 1)).toBe(NOW);
    expect(withRequest(slots, NOW)).toEqual([{ at: NOW, count: 1 }]);
  });
});

describe('the budget of a run', () => {
  function budgetOf(more: { slots?: RequestSlot[]; perMinute?: number; deadlineAt?: number } = {}) {
    const clock = fakeClock();
    const options = { slots: [], perMinute: 2, deadlineAt: NOW + 10 * MINUTE, ...more };
    return { clock, budget: createRequestBudget({ ...options, clock }) };
  }

  it('is free until a minute holds as many requests as it may', async () => {
    const { budget } = budgetOf();

    await budget.take();
    expect(budget.isFree()).toBe(true);
    await budget.take();
    expect(budget.isFree()).toBe(false);
  });

  it('counts the requests taken, and not those that were only asked for', async () => {
    const { budget } = budgetOf();

    await budget.ready();
    await budget.take();
    await budget.ready();

    expect(budget.count()).toBe(1);
    expect(budget.slots()).toEqual([{ at: NOW, count: 1 }]);
  });

  it('goes on from the requests of the runs before, and counts its own alone', async () => {
    const { budget, clock } = budgetOf({ slots: sentAt(NOW - 2_000, NOW - 1_000) });

    await budget.take();

    expect(clock.slept).toEqual([60_000]);
    expect(budget.count()).toBe(1);
  });

  it('does not sleep while there is room', async () => {
    const { budget, clock } = budgetOf();

    await budget.take();
    await budget.take();

    expect(clock.slept).toEqual([]);
  });

  it('ends the run rather than wait beyond its deadline (S51)', async () => {
    const { budget, clock } = budgetOf({ slots: sentAt(NOW, NOW), deadlineAt: NOW + 64_999 });

    await expect(budget.take()).rejects.toThrow(OutOfRequests);
    await expect(budget.ready()).rejects.toThrow(OutOfRequests);
    expect([budget.count(), clock.slept]).toEqual([0, []]);
  });

  it('waits where the next request comes just in time', async () => {
    const { budget } = budgetOf({ slots: sentAt(NOW, NOW), deadlineAt: NOW + 65_000 });

    await budget.take();

    expect(budget.count()).toBe(1);
  });

  it('gives a request that need not wait even after the deadline, so that every run reads a page', async () => {
    const { budget } = budgetOf({ deadlineAt: NOW - 1 });

    await budget.take();

    expect(budget.count()).toBe(1);
  });

  it('does not let two requests that wait at the same time take one place (S36)', async () => {
    const { budget } = budgetOf({ slots: sentAt(NOW - 6_000, NOW), perMinute: 2 });

    await Promise.all([budget.take(), budget.take()]);

    const total = budget.slots().reduce((sum, { count }) => sum + count, 0);
    expect(total).toBeLessThanOrEqual(2);
  });

  it('does not trust a sleep that ends too early', async () => {
    const { clock } = budgetOf();
    const early = { ...clock, sleep: async (ms: number) => await clock.sleep(Math.ceil(ms / 2)) };
    const budget = createRequestBudget({
      slots: sentAt(NOW, NOW),
      perMinute: 2,
      deadlineAt: NOW + 10 * MINUTE,
      clock: early,
    });

    await budget.take();

    expect(clock.now()).toBeGreaterThanOrEqual(NOW + 65_000);
  });
});
