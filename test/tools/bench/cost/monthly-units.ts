// Converts the counts of single runs to the units of a month.
import type { SourceSettings } from '../../../../functions/source/settings.ts';
import { LEDGER_LIFE_MS } from '../../../../functions/source/ledger-record.ts';
import {
  ALARMS_FIRED,
  DAYS_A_MONTH,
  HOURS_A_MONTH,
  MAILS_PER_ALARM,
  MINUTES_PER_LOGIN,
  platformBytes,
  processorFactor,
  SERVICE_ANSWER_MS,
  BYTES_BESIDE_LOG_LINE,
} from './assumptions.ts';
import { type Counts, NOTHING, plus, times } from './count/counts.ts';
import type { UnitName } from './prices.ts';
import type { TemplateCounts } from './template-counts.ts';

/** The counted use of one source. */
export type CountedRate = {
  entriesADay: number;
  /** The use of one tick with its share of the day's entries. */
  tick: Counts;
  /** The use of a far sweep for each entry that it reads again. */
  entryAgain: Counts;
};

export type CountedConsumer = {
  /** The duration of one invocation. */
  durationMs: number;
  logBytes: number;
  /** The share of events that match its rule. */
  share: number;
};

export type Measured = {
  sweeps: Pick<SourceSettings, 'lookbackMs' | 'everyMs'>;
  template: TemplateCounts;
  /** Distinct metrics of a source without failures. */
  metricsPerSource: number;
  /** Calls per login. */
  secretReadsPerLogin: number;
  consumer: CountedConsumer;
};

export type Deployment = {
  sources: readonly CountedRate[];
  alarms: boolean;
  eventLog: boolean;
  memberChange: boolean;
};

export type MonthlyUnits = Readonly<Record<UnitName, number>>;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const GB = 1024 ** 3;
const TICKS_A_MONTH = HOURS_A_MONTH * 60;

/** Entries that a day's larger sweeps read in addition to recent ones. A larger sweep replaces smaller ones. */
export function entriesReadAgain(entriesADay: number, { lookbackMs, everyMs }: Measured['sweeps']): number {
  const recentMs = lookbackMs.recent + MINUTE_MS;
  const reconciles = DAY_MS / everyMs.reconcile;
  const settles = DAY_MS / everyMs.settle - reconciles;
  const beyond = (level: 'settle' | 'reconcile'): number => lookbackMs[level] + everyMs[level] - recentMs;
  return (entriesADay / DAY_MS) * (settles * beyond('settle') + reconciles * beyond('reconcile'));
}

/** All runs of a source in a month, one per minute. */
export function monthOf(rate: CountedRate, sweeps: Measured['sweeps']): Counts {
  const again = entriesReadAgain(rate.entriesADay, sweeps) * DAYS_A_MONTH;
  return plus(times(rate.tick, TICKS_A_MONTH), times(rate.entryAgain, again));
}

/** A consumer writes twice per event: when it begins and when it ends. */
const CONSUMER_WRITES = 2;

export function monthlyUnits(measured: Measured, deployment: Deployment): MonthlyUnits {
  const { template, consumer } = measured;
  const month = deployment.sources.map((rate) => monthOf(rate, measured.sweeps)).reduce(plus, NOTHING);
  const sources = deployment.sources.length;
  const consumed = deployment.memberChange ? month.events * consumer.share : 0;
  const logins = (sources * HOURS_A_MONTH * 60) / MINUTES_PER_LOGIN;
  const ledgerGb = (month.ledgerBytes / DAYS_A_MONTH / GB) * (LEDGER_LIFE_MS / DAY_MS);
  const eventGb = month.eventBytes / GB;
  const functionLogGb = (month.logBytes + month.runs * platformBytes() + consumed * invocationLogBytes(consumer)) / GB;
  const eventLogGb = deployment.eventLog ? eventGb + (month.events * BYTES_BESIDE_LOG_LINE) / GB : 0;
  return {
    scheduleInvocations: month.runs * template.schedulesPerSource,
    lambdaRequests: month.runs + consumed,
    lambdaGbSeconds:
      gbSeconds(month.durationMs, month.requests, template.pollerMemoryMb) +
      gbSeconds(consumed * consumer.durationMs, 0, template.consumerMemoryMb),
    tableReads: month.tableReads,
    tableWrites: month.tableWrites + consumed * CONSUMER_WRITES,
    tableGb: ledgerGb,
    tableBackupGb: ledgerGb,
    eventChunks: month.eventChunks,
    archivedGb: eventGb,
    archiveGb: keptGb(eventGb, template.archiveDays),
    customMetrics: sources * measured.metricsPerSource,
    alarms: deployment.alarms ? alarmsOf(template, deployment) : 0,
    logGb: functionLogGb + eventLogGb,
    logStoredGb: keptGb(functionLogGb, template.logDays) + keptGb(eventLogGb, template.eventLogDays),
    secrets: sources * template.secretsPerSource,
    secretReads: logins * measured.secretReadsPerLogin,
    alarmMails: deployment.alarms ? ALARMS_FIRED * MAILS_PER_ALARM : 0,
  };
}

function gbSeconds(durationMs: number, requests: number, memoryMb: number): number {
  const seconds = (durationMs * processorFactor(memoryMb) + requests * SERVICE_ANSWER_MS) / 1000;
  return (seconds * memoryMb) / 1024;
}

function invocationLogBytes({ logBytes }: CountedConsumer): number {
  return logBytes + platformBytes();
}

/** The storage for this much data per month, kept for `days`. */
function keptGb(gbAMonth: number, days: number): number {
  return (gbAMonth / DAYS_A_MONTH) * days;
}

/** Two per source, and one per dead-letter queue of a consumer or the event log. */
function alarmsOf(
  { alarmsPerSource, alarmsPerQueue }: TemplateCounts,
  { sources, eventLog, memberChange }: Deployment,
): number {
  const queues = Number(eventLog) + Number(memberChange);
  return sources.length * alarmsPerSource + queues * alarmsPerQueue;
}
