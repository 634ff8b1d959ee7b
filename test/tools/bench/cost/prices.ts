// What AWS asks for each unit that the bridge uses, where that was read, and how much of it is always free. The one place with prices.

/** Prices differ by region; those of Europe are up to a quarter higher. */
export const REGION = 'us-east-1';
/** When the pages below were read. They were copies of the live pages, at most some months old. */
export const LOOKED_UP = '2026-11-21';

export type Price = {
  /** Whose line on the bill it is. */
  service: string;
  /** What is counted, as a heading. */
  unit: string;
  /** US dollars for `per` units. */
  usd: number;
  per: number;
  /** Units a month that are free for ever, for the account as a whole. Prices that name the same `pool` share it. */
  free: { units: number; pool: string } | null;
  source: Source;
};

type Source = {
  /** The page on which the price was read. */
  readOn: string;
  /** AWS's own page, where it can be checked; often not at hand when the price was looked up. */
  official: string;
};

const free = (units: number, pool: string): Price['free'] => ({ units, pool });

const source = (official: string, readOn = official): Source => ({ readOn, official });

const EVENTBRIDGE = source(
  'https://aws.amazon.com/eventbridge/pricing/',
  'https://cloudburn.io/blog/amazon-eventbridge-pricing',
);
const LAMBDA = source('https://aws.amazon.com/lambda/pricing/', 'https://wring.co/blog/aws-lambda-pricing-guide');
const DYNAMODB = source(
  'https://aws.amazon.com/dynamodb/pricing/on-demand/',
  'https://airbyte.com/data-engineering-resources/dynamodb-pricing',
);
const DYNAMODB_STORAGE = source('https://aws.amazon.com/dynamodb/pricing/');
const DYNAMODB_BACKUPS = source(DYNAMODB.official, 'https://finops.com.py/services/dynamodb/backups');
const METRICS = source('https://aws.amazon.com/cloudwatch/pricing/', 'https://signoz.io/guides/cloudwatch-pricing');
const ALARMS = source(METRICS.official, 'https://c3x.dev/resources/aws/aws_cloudwatch_metric_alarm');
const LOGS = source(METRICS.official, 'https://hykell.com/kb/platform-specific-guides/aws-cloudwatch-logs-pricing');
const SECRETS = source(
  'https://aws.amazon.com/secrets-manager/pricing/',
  'https://hivebook.wiki/wiki/aws-secrets-manager-rotated-secrets-dynamic-db-credentials-kms',
);
const SNS = source(
  'https://aws.amazon.com/sns/pricing/',
  'https://www.factualminds.com/blog/amazon-sns-pricing-publishes-fanout-protocols/',
);

const MILLION = 1_000_000;

/** The first tier of each price: the bridge comes nowhere near a second one. Free amounts of CloudWatch are on AWS's own pricing page. */
export const PRICES = {
  scheduleInvocations: {
    service: 'EventBridge Scheduler',
    unit: 'invocations',
    usd: 1,
    per: MILLION,
    free: free(14 * MILLION, 'schedules'),
    source: EVENTBRIDGE,
  },
  lambdaRequests: {
    service: 'Lambda',
    unit: 'requests',
    usd: 0.2,
    per: MILLION,
    free: free(MILLION, 'Lambda requests'),
    source: LAMBDA,
  },
  lambdaGbSeconds: {
    service: 'Lambda',
    unit: 'GB-seconds (arm64)',
    usd: 0.0000133334,
    per: 1,
    free: free(400_000, 'Lambda GB-seconds'),
    source: LAMBDA,
  },
  tableReads: {
    service: 'DynamoDB',
    unit: 'read request units',
    usd: 0.125,
    per: MILLION,
    // The free units are of provisioned tables only.
    free: null,
    source: DYNAMODB,
  },
  tableWrites: {
    service: 'DynamoDB',
    unit: 'write request units',
    usd: 0.625,
    per: MILLION,
    free: null,
    source: DYNAMODB,
  },
  tableGb: {
    service: 'DynamoDB',
    unit: 'GB-months in the table',
    usd: 0.25,
    per: 1,
    free: free(25, 'DynamoDB storage'),
    source: DYNAMODB_STORAGE,
  },
  tableBackupGb: {
    service: 'DynamoDB',
    unit: 'GB-months of recovery',
    usd: 0.2,
    per: 1,
    free: null,
    source: DYNAMODB_BACKUPS,
  },
  eventChunks: {
    service: 'EventBridge',
    unit: 'events, each 64 KB',
    usd: 1,
    per: MILLION,
    free: null,
    source: EVENTBRIDGE,
  },
  archivedGb: {
    service: 'EventBridge',
    unit: 'GB into the archive',
    usd: 0.1,
    per: 1,
    free: null,
    source: EVENTBRIDGE,
  },
  archiveGb: {
    service: 'EventBridge',
    unit: 'GB-months in the archive',
    usd: 0.023,
    per: 1,
    free: null,
    source: EVENTBRIDGE,
  },
  customMetrics: {
    service: 'CloudWatch',
    unit: 'custom metrics',
    usd: 0.3,
    per: 1,
    free: free(10, 'metrics'),
    source: METRICS,
  },
  alarms: {
    service: 'CloudWatch',
    unit: 'alarms',
    usd: 0.1,
    per: 1,
    free: free(10, 'alarms'),
    source: ALARMS,
  },
  logGb: {
    service: 'CloudWatch',
    unit: 'GB of log written',
    usd: 0.5,
    per: 1,
    free: free(5, 'logs'),
    source: LOGS,
  },
  logStoredGb: {
    service: 'CloudWatch',
    unit: 'GB-months of log kept',
    usd: 0.03,
    per: 1,
    free: free(5, 'logs'),
    source: LOGS,
  },
  secrets: {
    service: 'Secrets Manager',
    unit: 'secrets',
    usd: 0.4,
    per: 1,
    free: null,
    source: SECRETS,
  },
  secretReads: {
    service: 'Secrets Manager',
    unit: 'calls',
    usd: 0.05,
    per: 10_000,
    free: null,
    source: SECRETS,
  },
  alarmMails: {
    service: 'SNS',
    unit: 'mails',
    usd: 2,
    per: 100_000,
    free: free(1_000, 'mails'),
    source: SNS,
  },
} as const satisfies Readonly<Record<string, Price>>;

export type UnitName = keyof typeof PRICES;
