// @module-tag long
import { expect, it } from 'vitest';
import { IN_FLIGHT, measureDrain } from '../../../tools/bench/drain/drain.ts';

it('drains a backlog with the deployed bundle, and compares it with the lower bound', async () => {
  const plan = { entries: 400, pageSize: 100, serviceLatencyMs: 20, awsLatency: true };

  const figures = await measureDrain(plan);

  // Four pages twice, what lies before and after them, and that of the live sweep.
  expect(figures).toMatchObject({ entries: 400, pageSize: 100, serviceLatencyMs: 20, pages: 11, runs: 1 });
  expect(figures.fetchSeconds).toBeGreaterThanOrEqual(0.1);
  // More than forty calls of 10 ms.
  expect(figures.publishSeconds).toBeGreaterThanOrEqual(0.39);
  expect(figures.boundSeconds).toBe(Math.max(figures.fetchSeconds, figures.publishSeconds / IN_FLIGHT));
  expect(figures.ofBound).toBeGreaterThan(0);
  expect(figures.ofBound).toBeLessThan(1);
  expect(figures.cpuSeconds).toBeGreaterThan(0);
});
