// The text of the cost report.
import type { Bill } from './bill.ts';
import { CHOICES, type Choice, type CostReport, type Dollars, type RateReport } from './cost-report.ts';
import type { UnitName } from './prices.ts';
import { dollars, figure, type Row, textTable } from '../text-table.ts';

const CHOICE_NAMES: Readonly<Record<Choice, string>> = {
  alarms: 'alarms (always deployed)',
  eventLog: 'eventLog',
  memberChange: 'consumers.memberChange',
};

export function toText(report: CostReport): string {
  const { rates, counted } = report;
  return [
    `What the bridge costs in a month on AWS: US dollars in ${report.region}, prices of ${report.pricesLookedUp}.`,
    `Counted by running the bridge: ${Object.values(counted).join(', ')}.`,
    accountLine(rates),
    '',
    ...textTable([head(rates, 'Counted at entries a day'), ...countedRows(rates)]),
    '',
    `Custom metrics of a source: ${report.metrics.length}, and ${report.metricsOfFailure.length} more for each hour in which a run fails.`,
    '',
    ...textTable(billRows(report)),
    '',
    ...rates.map((rate) => largestPart(rate, report.prices)),
    '',
    ...textTable(additionRows(rates)),
    '',
    '"free": nothing else in the account uses what is always free. "paid": something else has used it up.',
    ...report.assumptions.map((line) => `- ${line}`),
    ...priceNotes(report),
  ].join('\n');
}

function accountLine(rates: readonly RateReport[]): string {
  const sum = (of: (account: RateReport['account']) => number): string =>
    figure(rates.reduce((total, { account }) => total + of(account), 0));
  return `Events of the counted runs: ${sum(({ events }) => events)}, lost: ${sum(({ lost }) => lost)}, duplicates: ${sum(({ duplicates }) => duplicates)}.`;
}

function head(rates: readonly RateReport[], title: string): Row {
  return [title, ...rates.map(({ entriesADay }) => figure(entriesADay))];
}

function countedRows(rates: readonly RateReport[]): Row[] {
  const row = (name: string, of: (rate: RateReport) => number | undefined): Row => [
    name,
    ...rates.map((rate) => {
      const value = of(rate);
      return value === undefined ? '' : figure(value);
    }),
  ];
  return [
    row('entries in a page, at most', ({ pageSize }) => pageSize),
    row('a tick: requests to the service', ({ tick }) => tick.requests),
    row('a tick: read units', ({ tick }) => tick.tableReads),
    row('a tick: write units', ({ tick }) => tick.tableWrites),
    row('a tick: ms on this machine', ({ tick }) => tick.durationMs),
    row('a tick: bytes of log', ({ tick }) => tick.logBytes),
    row('1,000 entries: read units beyond idle ticks', ({ perThousandEntries }) => perThousandEntries?.tableReads),
    row('1,000 entries: write units beyond idle ticks', ({ perThousandEntries }) => perThousandEntries?.tableWrites),
    row('an entry: bytes in the ledger', ({ tick }) => perEvent(tick, tick.ledgerBytes)),
    row('an entry: bytes in the archive', ({ tick }) => perEvent(tick, tick.eventBytes)),
    row('requests a minute, all sweeps', ({ requestsAMinute }) => requestsAMinute),
  ];
}

function perEvent({ events }: RateReport['tick'], amount: number): number | undefined {
  return events === 0 ? undefined : amount / events;
}

function billRows({ rates, prices }: CostReport): Row[] {
  const cells = (of: (bill: Bill<UnitName>) => Dollars | undefined): string[] =>
    rates.flatMap(({ bill }) => bothColumns(of(bill)));
  const units = Object.keys(prices) as UnitName[];
  return [
    ['One source, every minute', ...rates.flatMap(({ entriesADay }) => ['', figure(entriesADay)])],
    ['', ...rates.flatMap(() => ['free', 'paid'])],
    ...units.map((name): Row => {
      const { service, unit } = prices[name];
      return [`${service}: ${unit}`, ...cells(({ lines }) => lines.find((line) => line.unit === name))];
    }),
    ['total', ...cells((bill) => bill)],
  ];
}

function additionRows(rates: readonly RateReport[]): Row[] {
  const row = (name: string, of: (rate: RateReport) => Dollars): Row => [
    name,
    ...rates.flatMap((rate) => bothColumns(of(rate))),
  ];
  return [
    ['What is added by', ...rates.flatMap(({ entriesADay }) => ['', figure(entriesADay)])],
    ['', ...rates.flatMap(() => ['free', 'paid'])],
    row('a further source like it', ({ furtherSource }) => furtherSource),
    ...CHOICES.map((choice) => row(CHOICE_NAMES[choice], ({ choices }) => choices[choice])),
  ];
}

function bothColumns(amounts: Dollars | undefined): string[] {
  return [dollars(amounts?.withinFree ?? 0), dollars(amounts?.pastFree ?? 0)];
}

function largestPart({ entriesADay, bill }: RateReport, prices: CostReport['prices']): string {
  const [largest] = bill.lines.toSorted((left, right) => right.pastFree - left.pastFree);
  if (largest === undefined) return '';
  const { service, unit } = prices[largest.unit];
  const share = Math.round((largest.pastFree / bill.pastFree) * 100);
  return `Largest part at ${figure(entriesADay)} a day: ${service}, ${unit}: ${dollars(largest.pastFree)} of ${dollars(bill.pastFree)} (${share} %).`;
}

function priceNotes({ prices }: CostReport): string[] {
  const all = Object.values(prices);
  const elsewhere = all.filter(({ source }) => source.readOn !== source.official);
  return [
    `- ${elsewhere.length} of ${all.length} prices were read on pages that are not AWS's own. test/tools/bench/cost/prices.ts names them, and the page of AWS to check them on.`,
  ];
}
