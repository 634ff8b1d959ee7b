import { expect, it } from 'vitest';
import { startOver, withoutMet } from '../../../../functions/poller/sweep/window.ts';
import { windowOf } from '../builders.ts';

const [a, b] = [
  { id: 'a', at: 5 },
  { id: 'b', at: 6 },
];
const counts = { restarts: 1, margin: 'units', fruitlessRuns: 2 } as const;
const walked = windowOf({
  to: 20,
  params: { startDate: null, endDate: 'to', pageSize: 100 },
  continuation: 'next',
  stage: { name: 'followingCycle', ...counts, anchor: 'a', left: true },
  splitCandidates: [a, b],
  sentinels: [a, b],
});

it('a window that starts over has no walk: neither a continuation, nor parameters, nor a cycle to follow', () => {
  expect(startOver(walked)).toEqual(
    windowOf({ to: 20, stage: { name: 'maxPageSize', ...counts }, splitCandidates: [a, b], sentinels: [a, b] }),
  );
});

it('a window waits only for the sentinels that were not met', () => {
  expect(withoutMet(walked, new Set(['a', 'c']))).toEqual({ ...walked, sentinels: [b] });
});
