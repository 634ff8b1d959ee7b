// The notifier's function, invoked by the queues of immediate channels and by the schedules of digests.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { createDisabledChannels, createPace } from '../../aws/notifier/channel-state.ts';
import { createDynamoDbClient, createSecretsManagerClient } from '../../aws/clients.ts';
import { createLogs } from '../../aws/log.ts';
import { createSesMailer, createSmtpMailer } from '../../aws/notifier/mail.ts';
import { createMessageQueue } from '../../aws/notifier/message-queue.ts';
import { createSentStore } from '../../aws/notifier/sent-store.ts';
import { createUrlSecret } from '../../aws/secrets/url-secret.ts';
import { systemClock, type Clock } from '../../shared/clock.ts';
import { createPoster } from '../../shared/post.ts';
import type { Channel } from './channels/channel.ts';
import { createChannel } from './channels/create-channel.ts';
import { CHANNELS_FILE } from './code-layout.ts';
import { channelOf, readNotifierConfig, type NotifierChannel, type NotifierConfig } from './config.ts';
import type { Delivery } from './deliver.ts';
import { drain, type DrainResult } from './drain.ts';
import { deliverBatch } from './immediate.ts';
import type { Message, MessageQueue } from './ports.ts';
import { sendTest, type TestEvent, type TestResult } from './test-message.ts';
import { drainWeekly } from './weekly.ts';

/** The event of a schedule. A weekly one says for when, in ISO 8601. */
type DrainEvent = { drain: string; at?: string };

export type Notifier = (
  event: SQSEvent | DrainEvent | TestEvent,
  context: Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>,
) => Promise<SQSBatchResponse | DrainResult | TestResult>;

/** Reserved for the table, the queue and the answer. */
const RESERVE_MS = 3_000;

/** Joins the channels with AWS. Clients and sockets outlive an invocation. */
export function createNotifier(config: NotifierConfig, clock: Clock = systemClock): Notifier {
  const logFor = createLogs('notifier', config.logLevel);
  const table = { client: createDynamoDbClient(), tableName: config.tableName, clock };
  const store = createSentStore(table);
  const channels = createChannels(config, table);
  const queueOf = createQueues();
  return async (event, { awsRequestId, getRemainingTimeInMillis }) => {
    const deadlineAt = clock.now() + getRemainingTimeInMillis() - RESERVE_MS;
    if ('test' in event) {
      const tested = channels.get(event.test);
      if (tested === undefined) return { outcome: 'unknown', channels: [...channels.keys()] };
      const reading = channelOf(config, { name: event.test });
      return await sendTest(tested, { id: awsRequestId, clock, deadlineAt, events: event.events, reading });
    }
    const settings = settingsFor(config, event);
    const delivery: Delivery = {
      channel: channelNamed(channels, settings.name),
      others: [...channels.values()].filter(({ name }) => name !== settings.name),
      reading: settings,
      store,
      clock,
      log: logFor({ requestId: awsRequestId }),
      owner: `${awsRequestId}#${randomUUID()}`,
      deadlineAt,
    };
    const queue = queueOf(settings);
    if (!('drain' in event)) return await deliverBatch(event.Records.map(toMessage), queue, delivery);
    const { digestOn, timeZone } = settings;
    if (digestOn === undefined) return await drain(queue, delivery);
    const at = event.at === undefined ? clock.now() : Date.parse(event.at);
    return await drainWeekly(queue, delivery, { at, digestOn, timeZone });
  };
}

function settingsFor(config: NotifierConfig, event: SQSEvent | DrainEvent): NotifierChannel {
  if ('drain' in event) return channelOf(config, { name: event.drain });
  return channelOf(config, { queueArn: event.Records[0]?.eventSourceARN });
}

type Table = Parameters<typeof createPace>[0];

function createChannels(config: NotifierConfig, table: Table): ReadonlyMap<string, Channel> {
  const client = createSecretsManagerClient();
  const parts = {
    disabled: createDisabledChannels(table),
    pace: createPace(table),
    poster: createPoster(),
    clock: table.clock,
  };
  const create = (settings: NotifierChannel): Channel => {
    const secret = createUrlSecret({ client, secretId: settings.secretId, clock: table.clock });
    const mailers = { ses: createSesMailer, smtp: () => createSmtpMailer(secret) };
    return createChannel(settings, { ...parts, secret, mailers });
  };
  return new Map(config.channels.map((settings) => [settings.name, create(settings)]));
}

function createQueues(): (settings: NotifierChannel) => MessageQueue {
  const queues = new Map<string, MessageQueue>();
  return ({ name, queueUrl }) => {
    const queue = queues.get(name) ?? createMessageQueue({ queueUrl });
    queues.set(name, queue);
    return queue;
  };
}

function channelNamed(channels: ReadonlyMap<string, Channel>, name: string): Channel {
  const channel = channels.get(name);
  if (channel === undefined) throw new TypeError(`The channel ${name} was not created.`);
  return channel;
}

function toMessage({ messageId, receiptHandle, body, attributes }: SQSRecord): Message {
  return { id: messageId, receipt: receiptHandle, body, receiveCount: Number(attributes.ApproximateReceiveCount) };
}

let notifier: Notifier | null = null;

/** Lambda names the folder of the code. */
function readConfig(): NotifierConfig {
  const { LAMBDA_TASK_ROOT = '' } = process.env;
  return readNotifierConfig(process.env, readFileSync(join(LAMBDA_TASK_ROOT, CHANNELS_FILE), 'utf8'));
}

/**
 * Sends a batch of a queue, drains a queue for a digest, or sends a test. Rejects for an unsent digest, and for the
 * queue or digest of an unknown channel.
 */
export async function handler(
  event: SQSEvent | DrainEvent | TestEvent,
  context: Context,
): Promise<SQSBatchResponse | DrainResult | TestResult> {
  notifier ??= createNotifier(readConfig());
  return await notifier(event, context);
}
