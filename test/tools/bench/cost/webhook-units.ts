// What webhooks add to a month. Units follow from the calls of functions/deliverer, as the comments say.
import {
  BYTES_BESIDE_LOG_LINE,
  EMPTY_RECEIVES_A_MINUTE,
  HOURS_A_MONTH,
  platformBytes,
  processorFactor,
  REQUESTS_PER_MESSAGE,
  SERVICE_ANSWER_MS,
} from './assumptions.ts';
import { type MonthlyUnits, NO_UNITS } from './monthly-units.ts';
import type { TemplateCounts } from './template-counts.ts';

const MINUTES_A_MONTH = HOURS_A_MONTH * 60;
const GB = 1024 ** 3;
/** That of live events, and that of replays. */
const QUEUES = 2;
/** What a delivery, or a sweep that finds nothing, takes of a whole processor, as an upper bound. */
const OWN_MS = 20;
const MEMORY_MB = 512;
/** Definitions and states. */
const READS_OF_A_VIEW = 2;
/** The secret is read once in so many seconds, at most. */
const KEYS_KEPT_S = 60;

/** With so many deliveries in a month, each of an event that comes alone, to receivers that work. */
export function unitsOfWebhooks({ options }: TemplateCounts, deliveries: number): MonthlyUnits {
  const { alarms, secrets } = options.deliverer;
  const runs = MINUTES_A_MONTH + deliveries;
  const ownMs = runs * OWN_MS * processorFactor(MEMORY_MB);
  const logGb = (runs * (platformBytes() + BYTES_BESIDE_LOG_LINE)) / GB;
  return {
    ...NO_UNITS,
    scheduleInvocations: MINUTES_A_MONTH,
    lambdaRequests: runs,
    lambdaGbSeconds: ((ownMs + deliveries * SERVICE_ANSWER_MS) / 1_000) * (MEMORY_MB / 1_024),
    // Besides its view: whether it was accepted already.
    tableReads: runs * READS_OF_A_VIEW + deliveries,
    // The mark that it was accepted, and its line in the log of deliveries.
    tableWrites: deliveries * 2,
    queueRequests: QUEUES * EMPTY_RECEIVES_A_MINUTE * MINUTES_A_MONTH + deliveries * REQUESTS_PER_MESSAGE,
    secretReads: Math.min(runs, (HOURS_A_MONTH * 3_600) / KEYS_KEPT_S),
    alarms,
    secrets,
    logGb,
  };
}

/** What waits for a destination that fails is only probed: three at a time. */
const PROBES_A_SWEEP = 3;
const ATTEMPTS = 10;

/** What a destination that fails for some days adds, with so many events a day for it. */
export function unitsOfDeadDestination(days: number, eventsADay: number): MonthlyUnits {
  const [events, sweeps] = [days * eventsADay, days * 1_440];
  const attempts = Math.min(events * ATTEMPTS, sweeps * PROBES_A_SWEEP);
  return {
    ...NO_UNITS,
    // The four shards of what waits, twice; of each attempt its event and its mark.
    tableReads: sweeps * 8 + attempts * 2,
    // The event, its due item and the state. At an attempt the item moves, and the log has a line.
    tableWrites: events * 3 + attempts * 4 + sweeps * 3,
    lambdaGbSeconds: ((attempts * OWN_MS * processorFactor(MEMORY_MB)) / 1_000) * (MEMORY_MB / 1_024),
  };
}
