// The notifier with real sockets: a table of dynalite, scripted secrets, queues and SES, and the endpoint of a webhook.
import { createHash, randomUUID } from 'node:crypto';
import type { SQSBatchResponse } from 'aws-lambda';
import PostalMime, { type Email } from 'postal-mime';
import type { NotifierChannel } from '../../../functions/consumers/notifier/config.ts';
import type { DrainResult } from '../../../functions/consumers/notifier/drain.ts';
import type { TestResult } from '../../../functions/consumers/notifier/test-message.ts';
import { createNotifier, type Notifier } from '../../../functions/consumers/notifier/handler.ts';
import type { TypedEvent } from '../../../functions/events/index.ts';
import { systemClock, type Clock } from '../../../functions/shared/clock.ts';
import { anError, startEndpoint, startTable, type Answer, type Call } from '../aws/aws-endpoint.ts';
import { startWebhook } from '../../support/webhook-endpoint.ts';

type Waiting = {
  MD5OfBody: string;
  MessageId: string;
  ReceiptHandle: string;
  Body: string;
  Attributes: { ApproximateReceiveCount: string };
};

const TABLE = 'notifier';

/** What the AWS services have for the notifier, and what it has asked of them. */
function createServices() {
  const secrets = new Map<string, { versionId: string; text: string }>();
  const waiting: Waiting[] = [];
  const postponed: { receipt: string; seconds: number }[] = [];
  const mails: { raw: Uint8Array; to: string[] }[] = [];

  /** Null for a call to the table. */
  function answer({ operation, body }: Call): Answer | null {
    if (operation === 'GetSecretValue') return secretAnswer(secrets.get(String(body.SecretId)));
    if (operation === 'ReceiveMessage') return { body: { Messages: waiting.splice(0, 10) } };
    if (operation === 'DeleteMessageBatch') return { body: {} };
    if (operation === 'ChangeMessageVisibility') {
      postponed.push({ receipt: String(body.ReceiptHandle), seconds: Number(body.VisibilityTimeout) });
      return { body: {} };
    }
    // SES is a REST service: its calls have no target.
    if (operation !== 'POST /v2/email/outbound-emails') return null;
    const { Content, Destination } = body as {
      Content: { Raw: { Data: string } };
      Destination: { ToAddresses: string[] };
    };
    mails.push({ raw: Buffer.from(Content.Raw.Data, 'base64'), to: Destination.ToAddresses });
    return { body: { MessageId: randomUUID() } };
  }

  return { secrets, waiting, postponed, mails, answer };
}

export async function startNotifierWorld() {
  const table = await startTable(TABLE, ['id']);
  const endpoint = await startEndpoint();
  const webhook = await startWebhook();
  const { secrets, answer, ...services } = createServices();
  const { waiting, postponed, mails } = services;
  /** Takes precedence over all other answers where it has one. */
  let interference: (call: Call) => Answer | null = () => null;

  return {
    ...services,
    webhook,
    endpoint,
    setSecret(id: string, value: unknown, versionId = randomUUID()) {
      secrets.set(id, { versionId, text: JSON.stringify(value) });
      return versionId;
    },
    interfere(next: (call: Call) => Answer | null) {
      interference = next;
    },
    /** `accepts` is what the webhook answers. */
    begin(accepts?: { status: number; body: string }) {
      endpoint.begin(async (call) => interference(call) ?? answer(call) ?? (await table.forward(call)));
      webhook.begin(accepts);
      interference = () => null;
      for (const list of [mails, postponed, waiting]) list.length = 0;
    },
    notifier(channels: readonly NotifierChannel[], clock: Clock = systemClock): Notifier {
      return createNotifier({ channels, tableName: TABLE, logLevel: 'ERROR' }, clock);
    },
    /** The receipts of the deleted messages. */
    deleted: () =>
      endpoint.calls
        .filter(({ operation }) => operation === 'DeleteMessageBatch')
        .flatMap(({ body }) => (body.Entries as { ReceiptHandle: string }[]).map(({ ReceiptHandle }) => ReceiptHandle)),
    readMail: async (index = 0): Promise<Email> => await PostalMime.parse(mails[index]!.raw),
    /** Adds events to the queue of a digest. */
    enqueue(events: readonly unknown[]) {
      for (const [index, event] of events.entries()) waiting.push(toWaiting(JSON.stringify(event), index));
    },
    async close() {
      await Promise.all([webhook.close(), endpoint.close()]);
    },
  };
}

export type NotifierWorld = Awaited<ReturnType<typeof startNotifierWorld>>;

function toWaiting(Body: string, index: number): Waiting {
  const MD5OfBody = createHash('md5').update(Body).digest('hex');
  const Attributes = { ApproximateReceiveCount: '1' };
  return { MessageId: `m${index}`, ReceiptHandle: `r${index}`, Body, MD5OfBody, Attributes };
}

function secretAnswer(secret: { versionId: string; text: string } | undefined): Answer {
  if (secret === undefined) return anError('ResourceNotFoundException');
  return { body: { VersionId: secret.versionId, SecretString: secret.text } };
}

const REMAINING_MS = 30_000;

function context(remainingMs = REMAINING_MS) {
  return { awsRequestId: randomUUID(), getRemainingTimeInMillis: () => remainingMs };
}

/** Invokes the notifier with a batch of events. Resolves to the ids of the messages that stay in the queue. */
export async function invoke(
  notifier: Notifier,
  { queueArn }: NotifierChannel,
  events: readonly (TypedEvent | string)[],
  { receiveCount = 1, remainingMs = REMAINING_MS } = {},
): Promise<string[]> {
  const Records = events.map((event, index) => ({
    messageId: `m${index}`,
    receiptHandle: `r${index}`,
    body: typeof event === 'string' ? event : JSON.stringify(event),
    attributes: { ApproximateReceiveCount: String(receiveCount) },
    eventSourceARN: queueArn,
  }));
  const answer = (await notifier({ Records } as never, context(remainingMs))) as SQSBatchResponse;
  return answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
}

export async function drainOf(notifier: Notifier, name: string, remainingMs = REMAINING_MS): Promise<DrainResult> {
  return (await notifier({ drain: name }, context(remainingMs))) as DrainResult;
}

export async function testOf(notifier: Notifier, name: string): Promise<TestResult> {
  return (await notifier({ test: name }, context())) as TestResult;
}

/** A clock that runs `speed` times as fast as real time. */
export function fastClock(speed: number): Clock {
  const began = performance.now();
  const start = Date.UTC(2026, 10, 21, 7);
  return {
    now: () => Math.round(start + (performance.now() - began) * speed),
    sleep: async (ms, signal) => await systemClock.sleep(ms / speed, signal),
    random: () => Math.random(),
  };
}
