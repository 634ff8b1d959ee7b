// The projects: unit (no network, no timers), integration (real sockets and child processes), contract (every operation of the service), infra (the synthesized template), simulation (worlds of one seed), endurance (minutes of failures).
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    // Many tests wait for processes and clocks, not for a processor.
    maxWorkers: 3,
    projects: [
      { test: { name: 'unit', include: ['test/unit/**/*.test.ts'], testTimeout: 10_000 } },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: { name: 'contract', include: ['test/contract/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000 },
      },
      // Seconds of what `npm run test:simulation` does for minutes.
      { test: { name: 'simulation', include: ['test/simulation/**/*.test.ts'], testTimeout: 60_000 } },
      // Minutes long: `npm run test:endurance`, and in CI.
      {
        test: {
          name: 'endurance',
          include: ['test/endurance/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'infra',
          isolate: false,
          include: ['test/infra/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
