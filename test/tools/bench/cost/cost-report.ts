// The monthly cost of the bridge at each rate, for another source, and for each option.
import { assumptionLines, DAYS_A_MONTH } from './assumptions.ts';
import { type Bill, billOf, differenceOf } from './bill.ts';
import type { Measurement, Rate } from './measure.ts';
import { type Deployment, type MonthlyUnits, monthlyUnits, monthOf, unitsOfTicks } from './monthly-units.ts';
import { LOOKED_UP, PRICES, REGION, type UnitName } from './prices.ts';
import { unitsOfDeadDestination, unitsOfForwarding, unitsOfWebhooks } from './webhook-units.ts';

export type Dollars = { withinFree: number; pastFree: number };

export type RateReport = Pick<Rate, 'entriesADay' | 'pageSize' | 'tick' | 'entryAgain' | 'account'> & {
  /** To the service, averaged over the month. */
  requestsAMinute: number;
  /** DynamoDB units of 1,000 entries, without those of idle ticks. */
  perThousandEntries: { tableReads: number; tableWrites: number; ledgerBytes: number } | null;
  bill: Bill<UnitName>;
  /** The additional cost of each option. */
  choices: Record<Choice, Dollars>;
  /** The total with other memory of the poller. */
  memory: Record<(typeof MEMORY_MB)[number], Dollars>;
};

export type CostReport = {
  region: string;
  pricesLookedUp: string;
  /** Where and when the use was counted. */
  counted: Readonly<Record<string, string>>;
  assumptions: string[];
  metrics: string[];
  metricsOfFailure: string[];
  measured: Measurement['measured'];
  /** Totals of sources in which nothing happens, with a secret each or one for all. */
  manySources: { count: number; own: Dollars; shared: Dollars }[];
  /** What ticks add to a source in which nothing happens, by the seconds between two. */
  ticks: { seconds: number; added: Dollars }[];
  /** What webhooks add, by the deliveries of a month, and what a dead destination adds to them. */
  webhooks: { deliveries: number; added: Dollars }[];
  /** What a system of auditors adds, by the events of a day. */
  forwarding: { eventsADay: number; added: Dollars }[];
  deadDestination: Dollars;
  rates: RateReport[];
  prices: typeof PRICES;
};

/** What is added to one source: each is added alone. */
const CHOICE_DEPLOYMENTS = {
  furtherSource: {},
  furtherSharing: { sharesSecret: true },
  eventLog: { eventLog: true },
  dashboard: { dashboard: true },
  consumer: { consumer: true },
  slack: { slack: 1 },
  furtherSlack: { slack: 2 },
  mail: { mail: 1 },
  audit: { audit: true },
} satisfies Record<string, Partial<Deployment>>;

/** Where it is not added to one source alone. */
const BEFORE: Partial<Record<Choice, Partial<Deployment>>> = {
  furtherSharing: { sharesSecret: true },
  furtherSlack: { slack: 1 },
};

export type Choice = keyof typeof CHOICE_DEPLOYMENTS;
export const CHOICES = Object.keys(CHOICE_DEPLOYMENTS) as Choice[];
export const NUMBERS_OF_SOURCES = [1, 10, 100, 1_000] as const;
export const TICK_SECONDS = [5, 10, 15, 30] as const;
const DELIVERIES = [0, 10_000, 1_000_000] as const;
/** Of a day. */
const FORWARDED = [0, 10_000, 1_000_000];
/** Days until a destination that fails is disabled, and events a day for it. */
export const DEAD = { days: 5, eventsADay: 1_000 } as const;
export const MEMORY_MB = [256, 512, 1_024, 1_769, 3_008] as const;

export function toCostReport({ measured, rates }: Measurement, counted: CostReport['counted']): CostReport {
  const bill = (deployment: Deployment): Bill<UnitName> => billOf(monthlyUnits(measured, deployment), PRICES);
  const dollars = (deployment: Deployment): Dollars => dollarsOf(monthlyUnits(measured, deployment));
  const idle = rates.find(({ entriesADay }) => entriesADay === 0);
  const toRateReport = (rate: Rate): RateReport => {
    const { entriesADay, pageSize, tick, entryAgain, account } = rate;
    const plain = bill({ sources: [rate] });
    const added = (choice: Choice): Dollars => {
      const sources = choice.startsWith('further') && choice !== 'furtherSlack' ? [rate, rate] : [rate];
      const before = bill({ sources: [rate], ...BEFORE[choice] });
      return differenceOf(before, bill({ sources, ...CHOICE_DEPLOYMENTS[choice] }));
    };
    const month = monthOf(rate, measured.sweeps);
    return {
      entriesADay,
      pageSize,
      tick,
      entryAgain,
      account,
      requestsAMinute: month.requests / month.runs,
      perThousandEntries: idle === undefined || month.events === 0 ? null : perThousand(month, idle),
      bill: plain,
      choices: Object.fromEntries(CHOICES.map((choice) => [choice, added(choice)])) as RateReport['choices'],
      memory: Object.fromEntries(
        MEMORY_MB.map((memoryMb) => [memoryMb, dollars({ sources: [rate], memoryMb })]),
      ) as RateReport['memory'],
    };
  };
  const [first] = rates;
  return {
    region: REGION,
    pricesLookedUp: LOOKED_UP,
    counted,
    assumptions: assumptionLines(measured.template.pollerMemoryMb),
    metrics: first?.metrics ?? [],
    metricsOfFailure: first?.metricsOfFailure ?? [],
    measured,
    manySources: NUMBERS_OF_SOURCES.map((count) => {
      const sources = Array.from({ length: count }, () => idle as Rate);
      return { count, own: dollars({ sources }), shared: dollars({ sources, sharesSecret: true }) };
    }),
    ticks: TICK_SECONDS.map((seconds) => ({ seconds, added: dollarsOf(unitsOfTicks(measured, seconds)) })),
    webhooks: DELIVERIES.map((deliveries) => ({
      deliveries,
      added: dollarsOf(unitsOfWebhooks(measured.template, deliveries)),
    })),
    forwarding: FORWARDED.map((eventsADay) => ({
      eventsADay,
      added: dollarsOf(unitsOfForwarding(eventsADay * DAYS_A_MONTH)),
    })),
    deadDestination: dollarsOf(unitsOfDeadDestination(DEAD.days, DEAD.eventsADay)),
    rates: rates.map(toRateReport),
    prices: PRICES,
  };
}

function dollarsOf(units: MonthlyUnits): Dollars {
  const { withinFree, pastFree } = billOf(units, PRICES);
  return { withinFree, pastFree };
}

function perThousand(month: Rate['tick'], { tick: idle }: Rate): RateReport['perThousandEntries'] {
  const beyondIdle = (name: 'tableReads' | 'tableWrites' | 'ledgerBytes'): number =>
    ((month[name] - idle[name] * month.runs) / month.events) * 1_000;
  return {
    tableReads: beyondIdle('tableReads'),
    tableWrites: beyondIdle('tableWrites'),
    ledgerBytes: beyondIdle('ledgerBytes'),
  };
}
