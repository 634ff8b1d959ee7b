// The monthly cost of the bridge at each rate, for another source, and for each option.
import { assumptionLines } from './assumptions.ts';
import { type Bill, billOf, differenceOf } from './bill.ts';
import type { RateCount } from './count/count-rate.ts';
import type { Measurement } from './measure.ts';
import { type Deployment, monthlyUnits, monthOf } from './monthly-units.ts';
import { LOOKED_UP, PRICES, REGION, type UnitName } from './prices.ts';

export type Dollars = { withinFree: number; pastFree: number };

export type RateReport = Pick<RateCount, 'entriesADay' | 'pageSize' | 'tick' | 'entryAgain' | 'account'> & {
  /** To the service, averaged over the month. */
  requestsAMinute: number;
  /** DynamoDB units of 1,000 entries, without those of idle ticks. */
  perThousandEntries: { tableReads: number; tableWrites: number; ledgerBytes: number } | null;
  bill: Bill<UnitName>;
  furtherSource: Dollars;
  /** The additional cost of each option. */
  choices: Record<Choice, Dollars>;
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
  rates: RateReport[];
  prices: typeof PRICES;
};

export const CHOICES = ['alarms', 'eventLog', 'memberChange'] as const;
export type Choice = (typeof CHOICES)[number];

/** The default deployment, which always has alarms. */
const PLAIN = { alarms: true, eventLog: false, memberChange: false };

export function toCostReport({ measured, rates }: Measurement, counted: CostReport['counted']): CostReport {
  const bill = (deployment: Deployment): Bill<UnitName> => billOf(monthlyUnits(measured, deployment), PRICES);
  const idle = rates.find(({ entriesADay }) => entriesADay === 0);
  const toRateReport = (rate: RateCount): RateReport => {
    const { entriesADay, pageSize, tick, entryAgain, account } = rate;
    const plain = bill({ ...PLAIN, sources: [rate] });
    const without = (choice: Choice): Bill<UnitName> => bill({ ...PLAIN, [choice]: false, sources: [rate] });
    const withIt = (choice: Choice): Bill<UnitName> => bill({ ...PLAIN, [choice]: true, sources: [rate] });
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
      furtherSource: differenceOf(plain, bill({ ...PLAIN, sources: [rate, rate] })),
      choices: Object.fromEntries(
        CHOICES.map((choice) => [choice, differenceOf(without(choice), withIt(choice))]),
      ) as RateReport['choices'],
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
    rates: rates.map(toRateReport),
    prices: PRICES,
  };
}

function perThousand(month: RateCount['tick'], { tick: idle }: RateCount): RateReport['perThousandEntries'] {
  const beyondIdle = (name: 'tableReads' | 'tableWrites' | 'ledgerBytes'): number =>
    ((month[name] - idle[name] * month.runs) / month.events) * 1_000;
  return {
    tableReads: beyondIdle('tableReads'),
    tableWrites: beyondIdle('tableWrites'),
    ledgerBytes: beyondIdle('ledgerBytes'),
  };
}
