import { describe, expect, it } from 'vitest';
import { withRequest, type RequestSlot } from '../../../../functions/poller/request/rate.ts';
import { createRequestBudget, OutOfRequests } from '../../../../functions/poller/run/request-budget.ts';
import { fakeClock, MINUTE, NOW } from '../builders.ts';

function sentAt(...instants: number[]): RequestSlot[] {
  return instants.reduce<RequestSlot[]>((slots, at) => withRequest(slots, at), []);
}

function budgetOf(more: { slots?: RequestSlot[]; deadlineAt?: number; clock?: ReturnType<typeof fakeClock> } = {}) {
  const options = { slots: [], perMinute: 2, deadlineAt: NOW + 10 * MINUTE, clock: fakeClock(), ...more };
  return { clock: options.clock, budget: createRequestBudget(options) };
}

describe('the budget of a run', () => {
  it('is free until a minute holds as many requests as it may, and does not sleep before that', async () => {
    const { budget, clock } = budgetOf();

    await budget.take();
    expect(budget.isFree()).toBe(true);
    await budget.take();

    expect(budget.isFree()).toBe(false);
    expect(clock.slept).toEqual([]);
  });

  it('counts the requests that are sent, not those that only wait for their turn', async () => {
    const { budget } = budgetOf();

    await budget.ready();
    await budget.take();
    await budget.ready();

    expect(budget.count()).toBe(1);
    expect(budget.slots()).toEqual([{ at: NOW, count: 1 }]);
  });

  it('keeps a part of the rate for later while one is reserved, whole requests and none of a small rate', async () => {
    const { clock } = budgetOf();
    const deadlineAt = NOW + MINUTE / 2;
    const budget = createRequestBudget({ slots: [], perMinute: 6, deadlineAt, clock });
    const small = createRequestBudget({ slots: [], perMinute: 3, deadlineAt, clock });

    for (const one of [budget, small]) one.reserve(1 / 4);
    for (let count = 0; count < 5; count += 1) await budget.take();
    for (let count = 0; count < 3; count += 1) await small.take();
    const isRefused = await budget.take().catch((error: unknown) => error instanceof OutOfRequests);
    budget.reserve(0);
    await budget.take();

    expect([isRefused, budget.count(), small.count()]).toEqual([true, 6, 3]);
  });

  it('counts a login, which never waits and takes no place', async () => {
    const slots = sentAt(NOW, NOW);
    const { budget, clock } = budgetOf({ slots });

    await budget.countLogin();

    expect([budget.count(), budget.slots(), clock.slept]).toEqual([1, slots, []]);
  });

  it('continues from the requests of earlier runs, and counts only its own', async () => {
    const { budget, clock } = budgetOf({ slots: sentAt(NOW - 2_000, NOW - 1_000) });

    await budget.take();

    expect(clock.slept).toEqual([60_000]);
    expect(budget.count()).toBe(1);
  });

  it('ends the run instead of waiting beyond its deadline', async () => {
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

  it('allows a request that need not wait even after the deadline, so that every run reads a page', async () => {
    const { budget } = budgetOf({ deadlineAt: NOW - 1 });

    await budget.take();

    expect(budget.count()).toBe(1);
  });

  it('does not let two requests that wait at the same time take one place', async () => {
    const { budget } = budgetOf({ slots: sentAt(NOW - 6_000, NOW) });

    await Promise.all([budget.take(), budget.take()]);

    expect(budget.slots().reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(2);
  });

  it('does not trust a sleep that ends too early', async () => {
    const clock = fakeClock();
    const early = { ...clock, sleep: async (ms: number) => await clock.sleep(Math.ceil(ms / 2)) };
    const { budget } = budgetOf({ slots: sentAt(NOW, NOW), clock: early });

    await budget.take();

    expect(clock.now()).toBeGreaterThanOrEqual(NOW + 65_000);
  });
});
