// Simulated time for concurrent work: it advances to the next awaited instant once nothing else can run.
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../../../functions/shared/clock.ts';

export function createTimeline(startAt: number) {
  let now = startAt;
  let sleepers: { at: number; wake: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    sleep: async (ms) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      sleepers.push({ at: now + Math.max(0, ms), wake: resolve });
      await promise;
    },
    random: () => 0.5,
  };
  return {
    clock,
    async passUntil(until: number): Promise<void> {
      for (;;) {
        await setImmediate();
        const next = Math.min(...sleepers.map(({ at }) => at));
        if (next > until) break;
        now = next;
        const woken = sleepers.filter(({ at }) => at === next);
        sleepers = sleepers.filter(({ at }) => at > next);
        for (const { wake } of woken) wake();
      }
      now = until;
    },
  };
}
