// What cannot be counted on one machine and is therefore assumed. All of it is printed with the figures.

export const HOURS_A_MONTH = 730;
export const DAYS_A_MONTH = HOURS_A_MONTH / 24;

/** How long the membership service takes for one answer, connection and body included. */
export const SERVICE_ANSWER_MS = 250;

/** Lambda gives a whole processor from this much memory on, and a share of one below (Lambda's guide, "Configure memory"). */
export const MB_PER_PROCESSOR = 1_769;

/** A token of an hour is renewed when three quarters of its life are over. */
export const MINUTES_PER_LOGIN = 45;

/** What PutLogEvents counts for each line beside its text. */
export const BYTES_BESIDE_LOG_LINE = 26;

/** The lines that Lambda writes for each invocation at its system log level INFO, in JSON, as its guide shows them. */
export const PLATFORM_LINES = [
  '{"time":"2026-11-21T03:14:15.926Z","type":"platform.start","record":{"requestId":"9d7772cd-c4f9-4596-a579-b8fc505a2fd0","functionArn":"arn:aws:lambda:us-east-1:123456789012:function:MembershipBridge-PollerFunctionD1C91003-1JU5Z0I6JKT4M","version":"12"}}',
  '{"time":"2026-11-21T03:14:16.321Z","type":"platform.report","record":{"requestId":"9d7772cd-c4f9-4596-a579-b8fc505a2fd0","metrics":{"durationMs":393.579,"billedDurationMs":394,"memorySizeMB":256,"maxMemoryUsedMB":118},"status":"success"}}',
] as const;

/** Alarms that fire in a month; each sends a mail when it fires and another when it is over. */
export const ALARMS_FIRED = 10;
export const MAILS_PER_ALARM = 2;

/** What DynamoDB counts for each item beside its names and values when it bills storage. */
export const BYTES_BESIDE_ITEM = 100;

/** The assumptions in a reader's words. */
export function assumptionLines(memoryMb: number): string[] {
  const slower = processorFactor(memoryMb).toFixed(1);
  return [
    `A month has ${HOURS_A_MONTH} hours. Tables, logs and the archive are as full as they become.`,
    `The service answers in ${SERVICE_ANSWER_MS} ms, which is added for each request. What the function itself takes was measured here, on another processor, and is taken times ${slower}: with ${memoryMb} MB Lambda gives ${memoryMb} / ${MB_PER_PROCESSOR} of a processor. Starts of new environments are not counted.`,
    `One login in ${MINUTES_PER_LOGIN} minutes and source.`,
    `Beside the function's own lines Lambda writes start and report, ${platformBytes()} bytes together; each line counts ${BYTES_BESIDE_LOG_LINE} bytes more. Stored logs are taken uncompressed.`,
    `${ALARMS_FIRED} alarms fire in a month, each with ${MAILS_PER_ALARM} mails.`,
    'Not counted, cents at most: traffic to the service (about 1 KB a request, the first 100 GB free), CDK assets in S3, and what bus and queues cost when something fails.',
  ];
}

/** How much longer a function takes with this memory than with a whole processor: an upper bound, because waiting takes no longer. */
export function processorFactor(memoryMb: number): number {
  return Math.max(1, MB_PER_PROCESSOR / memoryMb);
}

export function platformBytes(): number {
  return PLATFORM_LINES.reduce((sum, line) => sum + Buffer.byteLength(line) + BYTES_BESIDE_LOG_LINE, 0);
}
