// How often a source is polled on this machine, where a minute of the platform may be shorter.
import { parseEvery } from '../../../functions/source/settings.ts';

const MINUTE_MS = 60_000;

/** `runMs`: between two runs of the schedule. `tickMs`: between ticks, null without them; a short minute leaves it. */
export type Pace = { runMs: number; tickMs: number | null };

/** `every` is the setting of the source; a minute where it is absent. */
export function paceOf({ every = 'PT1M', minuteMs }: { every?: string | undefined; minuteMs: number }): Pace {
  const everyMs = parseEvery(every);
  if (everyMs < MINUTE_MS) return { runMs: minuteMs, tickMs: everyMs };
  return { runMs: (everyMs / MINUTE_MS) * minuteMs, tickMs: null };
}
