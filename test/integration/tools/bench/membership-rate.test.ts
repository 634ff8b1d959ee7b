// @module-tag long
import { expect, it } from 'vitest';
import { measureMembershipRate } from '../../../tools/bench/service/membership-rate.ts';

it('measures the rate of pages of a service in its own process, after verifying every page', async () => {
  const figures = await measureMembershipRate({ pageSize: 25, seconds: 0.5, entries: 260 });

  expect(figures).toMatchObject({ pageSize: 25, entries: 260, pages: 11 });
  expect(figures.requests).toBeGreaterThan(50);
  expect(figures.requestsPerSecond).toBeCloseTo(figures.requests / figures.seconds, 5);
  expect(figures.serviceCpu).toBeGreaterThan(0);
});
