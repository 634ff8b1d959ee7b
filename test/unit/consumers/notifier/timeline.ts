// Simulated time for concurrent work: it advances to the next awaited instant once nothing else can run.
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../../../functions/shared/clock.ts';

export function createTimeline(startAt: number) {
  let now = startAt;
  const sleepers: { at: number; wake: () => void }[] = [];
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
        const [next] = sleepers.toSorted((a, b) => a.at - b.at);
        if (next === undefined || next.at > until) break;
        sleepers.splice(sleepers.indexOf(next), 1);
        now = next.at;
        next.wake();
      }
      now = until;
    },
  };
}
