import { describe, expect, it } from 'vitest';
import { createDeadline, RESERVE_MS } from '../../../../functions/poller/run/deadline.ts';
import { fakeClock, NOW } from '../builders.ts';

function deadlineAfter(remainingMs: number) {
  const clock = fakeClock();
  return { clock, deadline: createDeadline(() => clock.now(), remainingMs) };
}

describe('the deadline of a run', () => {
  it('is three seconds before the function is stopped; half of them are left to store what was published', () => {
    const { deadline } = deadlineAfter(55_000);

    expect([RESERVE_MS, deadline.at]).toEqual([3_000, NOW + 52_000]);
    expect(deadline.publishAt).toBe(NOW + 53_500);
  });

  it.each([
    [0, false],
    [51_999, false],
    [52_000, true],
    [60_000, true],
  ])('%i ms after the start of a run of 55 s has passed: %s', (passed, isOver) => {
    const { clock, deadline } = deadlineAfter(55_000);

    clock.advance(passed);

    expect(deadline.isOver()).toBe(isOver);
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
    ['the rest after that', 40_000, 12_000],
    ['a second when hardly anything is left', 51_500, 1_000],
    ['a second when nothing is left, so that every run reads a page', 54_000, 1_000],
  ])('gives a request %s', (_name, passed, requestMs) => {
    const { clock, deadline } = deadlineAfter(55_000);

    clock.advance(passed);

    expect(deadline.requestMs()).toBe(requestMs);
  });

  it('is over from the start where the function has less time than is reserved', () => {
    const { deadline } = deadlineAfter(2_000);

    expect([deadline.isOver(), deadline.requestMs()]).toEqual([true, 1_000]);
  });
});
