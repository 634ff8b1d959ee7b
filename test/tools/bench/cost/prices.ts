// The prices of AWS for each unit that the bridge uses, with their sources and free amounts. No other file has prices.

/** Prices differ by region. European ones are up to a quarter higher. */
export const REGION = 'us-east-1';
/** When the pages below were read, as copies that were at most some months old. */
export const LOOKED_UP = '2026-11-21';

export type Price = {
  /** The service on the bill. */
  service: string;
  /** The unit, as a heading. */
  unit: string;
  /** US dollars for `per` units. */
  usd: number;
  per: number;
  /** Units per month and account that are always free. Prices with the same `pool` share them. */
  free: { units: number; pool: string } | null;
  source: Source;
};

type Source = {
  /** The page with the price; null if it was written from memory. */
  readOn: string | null;
  /** AWS's own page to check the price, which was not always available. */
  official: string;
};

const free = (units: number, pool: string): Price['free'] => ({ units, pool });

const source = (official: string, readOn: string | null = official): Source => ({ readOn, official });

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
const DASHBOARDS = source(
  METRICS.official,
  'https://www.factualminds.com/blog/amazon-cloudwatch-pricing-metrics-logs-alarms-dashboards/',
);
const LOGS = source(METRICS.official, 'https://hykell.com/kb/platform-specific-guides/aws-cloudwatch-logs-pricing');
const SECRETS = source(
  'https://aws.amazon.com/secrets-manager/pricing/',
  'https://hivebook.wiki/wiki/aws-secrets-manager-rotated-secrets-dynamic-db-credentials-kms',
);
const SNS = source(
  'https://aws.amazon.com/sns/pricing/',
  'https://www.factualminds.com/blog/amazon-sns-pricing-publishes-fanout-protocols/',
);

const S3 = source('https://aws.amazon.com/s3/pricing/', 'https://c3x.dev/blog/s3-request-fees-explained');
const S3_STORAGE = source(
  S3.official,
  'https://devnotes.tech/understanding-aws-s3-pricing-a-complete-cost-breakdown-with-examples',
);
const FIREHOSE = source('https://aws.amazon.com/firehose/pricing/', null);
const SQS = source('https://aws.amazon.com/sqs/pricing/', 'https://cloudburn.io/blog/amazon-sqs-pricing');
const SES = source('https://aws.amazon.com/ses/pricing/', 'https://www.acecloudinterviews.com/tutorials/aws/ses/');

const MILLION = 1_000_000;

/** The first tier of each price. The bridge never reaches a second one. CloudWatch has its own page of free amounts. */
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
    // Only provisioned tables have free units.
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
  streamGb: {
    service: 'Firehose',
    unit: 'GB, each event as 5 KB',
    usd: 0.029,
    per: 1,
    free: null,
    source: FIREHOSE,
  },
  bucketWrites: {
    service: 'S3',
    unit: 'objects written or listed',
    usd: 0.005,
    per: 1_000,
    free: null,
    source: S3,
  },
  bucketReads: {
    service: 'S3',
    unit: 'objects read',
    usd: 0.0004,
    per: 1_000,
    free: null,
    source: S3,
  },
  bucketGb: {
    service: 'S3',
    unit: 'GB-months',
    usd: 0.023,
    per: 1,
    free: null,
    source: S3_STORAGE,
  },
  queueRequests: {
    service: 'SQS',
    unit: 'requests',
    usd: 0.4,
    per: MILLION,
    free: free(MILLION, 'queue requests'),
    source: SQS,
  },
  channelMails: {
    service: 'SES',
    unit: 'mails',
    usd: 0.1,
    per: 1_000,
    free: null,
    source: SES,
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
  dashboards: {
    service: 'CloudWatch',
    unit: 'dashboards',
    usd: 3,
    per: 1,
    // Of at most 50 metrics each.
    free: free(3, 'dashboards'),
    source: DASHBOARDS,
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
