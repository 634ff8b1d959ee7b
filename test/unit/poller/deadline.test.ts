import { describe, expect, it } from 'vitest';
import { createDeadline, deadlineReached, RESERVE_MS } from '../../../functions/poller/deadline.ts';
import { fakeClock, NOW } from './builders.ts';

function deadlineAfter(remainingMs: number) {
  const clock = fakeClock();
  return { clock, deadline: createDeadline(() => clock.now(), remainingMs) };
}

describe('the deadline of a run (S38)', () => {
  it('lies three seconds before the function is stopped', () => {
    const { deadline } = deadlineAfter(55_000);

    expect(deadline.at).toBe(NOW + 55_000 - RESERVE_MS);
    expect(RESERVE_MS).toBe(3_000);
    // Half of the reserve is left to write down what was published.
    expect(deadline.publishAt).toBe(deadline.at + 1_500);
  });

  it.each([
    [0, false],
    [51_999, false],
    [52_000, true],
    [60_000, true],
  ])('%i ms after the start of a run of 55 s is over: %s', (passed, isOver) => {
    const { clock, deadline } = deadlineAfter(55_000);

    clock.advance(passed);

    expect(deadline.isOver()).toBe(isOver);
    expect(deadlineReached({ deadline })).toBe(isOver);
  });

  it('stays over where the clock is set back', () => {
    const { clock, deadline } = deadlineAfter(55_000);
    clock.advance(52_000);
    deadline.isOver();

    clock.advance(-60_000);

    expect(deadline.isOver()).toBe(true);
  });

  it.each([
    ['15 s while there is more time than that', 0, 15_000],
    ['15 s while there is just that', 37_000, 15_000],
    ['what is left after that', 40_000, 12_000],
    ['a second when hardly anything is left', 51_500, 1_000],
    ['a second when nothing is left, so that every run reads a page', 54_000, 1_000],
  ])('gives a request %s', (_name, passed, requestMs) => {
    const { clock, deadline } = deadlineAfter(55_000);

    clock.advance(passed);

    expect(deadline.requestMs()).toBe(requestMs);
  });

  it('is over from the beginning where the function has less time than is kept back', () => {
    const { deadline } = deadlineAfter(2_000);

    expect(deadline.isOver()).toBe(true);
    expect(deadline.requestMs()).toBe(1_000);
  });
});
