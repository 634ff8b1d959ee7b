// Counts everything for the bill: the template, each rate of entries, and a consumer.
import { readSourceSettings } from '../../../../functions/source/settings.ts';
import { cachedAssembly } from '../../../../infra/local/cloudformation/assembly-cache.ts';
import { readAssembly } from '../../../../infra/local/cloudformation/assembly.ts';
import { countConsumer } from './count/count-consumer.ts';
import { countRate, type RateCount, type RatePlan } from './count/count-rate.ts';
import type { Measured } from './monthly-units.ts';
import { countTemplate } from './template-counts.ts';

/**
 * Low rates have more ticks, to reduce the influence of chance. At a million entries a day pages of 100 would need 107
 * requests a minute, more than the default `maxRequestsPerMinute` allows; pages of 500 need 22.
 */
const PLANS: readonly RatePlan[] = [
  { entriesADay: 0, ticks: 20, pageSize: 100 },
  { entriesADay: 1_000, ticks: 60, pageSize: 100 },
  { entriesADay: 10_000, ticks: 20, pageSize: 100 },
  { entriesADay: 1_000_000, ticks: 6, pageSize: 500 },
];

/** Each tick overrides the address of the sources. */
export const SOURCES = ['acme', 'other'].map((sourceId) => ({
  sourceId,
  baseUrl: 'http://127.0.0.1:1',
  timeZone: 'UTC',
  maxRequestsPerMinute: 600,
}));
const EVERYTHING = { alarmEmail: 'operator@example.org', eventLog: true, consumers: { memberChange: true } };

export type Measurement = { measured: Measured; rates: RateCount[] };

/** Runs the bridge for about fifteen seconds, plus ten if the templates must be synthesized. Rejects with NoFigures. */
export async function measure(environment: Readonly<Record<string, string | undefined>>): Promise<Measurement> {
  const plain = await cachedAssembly({ context: { bridge: { sources: SOURCES } }, environment });
  const whole = await cachedAssembly({ context: { bridge: { sources: SOURCES, ...EVERYTHING } }, environment });
  const { stacks } = await readAssembly(whole);
  const rates: RateCount[] = [];
  for (const plan of PLANS) rates.push(await countRate(plan, plain));
  const busiest = rates.at(-1) as RateCount;
  const measured: Measured = {
    sweeps: readSourceSettings({ ...SOURCES[0], secretId: 'none' }),
    template: countTemplate(stacks, SOURCES.length),
    metricsPerSource: busiest.metrics.length,
    secretReadsPerLogin: busiest.firstRun.secretReads,
    consumer: { ...(await countConsumer(whole)), share: busiest.memberChangedShare },
  };
  return { measured, rates };
}
