// The queue of ticks in memory: SQS may deliver a message twice, late, or lose it in a failed call.
import type { TickQueue } from '../../../functions/source/ports.ts';
import type { Tick } from '../../../functions/source/tick.ts';
import type { Chance } from '../chance.ts';
import type { Run, Runs } from '../runs.ts';
import type { Weather } from '../weather.ts';

export type Ticks = {
  /** The queue as a run sees it. */
  of(run: () => Run): TickQueue;
  /** Takes the next tick that comes before `until`, with its time; null where there is none. */
  next(until: number): { tick: Tick; at: number } | null;
};

const MAX_LATE_MS = 100_000;

export function createTicks({ runs, weather }: { runs: Runs; weather: Weather }): Ticks {
  let waiting: { tick: Tick; at: number }[] = [];
  const take = (tick: Tick, chance: Chance): void => {
    const at =
      tick.slot + (chance.happens(weather.ticks.late) ? chance.between(0, MAX_LATE_MS) : chance.between(0, 1_000));
    waiting.push({ tick, at });
    if (chance.happens(weather.ticks.doubled)) waiting.push({ tick, at: at + chance.between(0, 2_000) });
  };
  return {
    of: (run) => ({
      send: async (ticks) =>
        await runs.step(run(), 'ticks', (chance) => {
          const isFailed = weather.table.down || chance.happens(weather.table.throttled);
          // A call takes ten; the second one may fail after the first.
          const sent = isFailed ? ticks.slice(0, chance.pick([0, 10])) : ticks;
          for (const tick of sent) take(tick, chance);
          if (isFailed) throw Object.assign(new Error('Ticks are refused.'), { name: 'StateUnavailable' });
        }),
    }),
    next(until) {
      const [first] = waiting.toSorted((a, b) => a.at - b.at);
      if (first === undefined || first.at > until) return null;
      waiting = waiting.filter((one) => one !== first);
      return first;
    },
  };
}
