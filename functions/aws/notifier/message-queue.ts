// A channel's queue in SQS. The SDK is loaded with the first call, because an immediate channel rarely makes one.
import type * as Sqs from '@aws-sdk/client-sqs';
import type { MessageQueue } from '../../consumers/notifier/ports.ts';
import { chunksOf } from '../../shared/chunks.ts';
import { inParallel } from '../../shared/in-parallel.ts';
import { isTransient, toBridgeError, toSdkFailure } from '../sdk-failure.ts';

/** The limit of SQS for receiving and deleting. */
const MESSAGES_PER_CALL = 10;
/** With a wait SQS asks all of its servers, so that an empty answer means an empty queue. */
const WAIT_SECONDS = 1;
const PARALLEL_CALLS = 8;
/** A digest that was not sent returns thousands of messages, one per call, within seconds. */
const PARALLEL_POSTPONEMENTS = 32;
/** SQS allows twelve hours from the receipt of a message; a function runs less than a quarter of an hour. */
const MAX_SECONDS = 43_200 - 900;

const CONNECTION_TIMEOUT_MS = 1_000;
/** Includes the wait. */
const REQUEST_TIMEOUT_MS = 5_000;

type Sdk = typeof Sqs;

export function createMessageQueue({ queueUrl }: { queueUrl: string }): MessageQueue {
  const call = <Result>(doing: string, run: (client: Sqs.SQSClient, sdk: Sdk) => Promise<Result>): Promise<Result> =>
    orUnavailable(doing, async () => {
      const sdk = await import('@aws-sdk/client-sqs');
      client ??= createClient(sdk);
      return await run(client, sdk);
    });
  let client: Sqs.SQSClient | null = null;
  return {
    receive: () =>
      call('Receiving from a queue', async (client, { ReceiveMessageCommand }) => {
        const { Messages = [] } = await client.send(
          new ReceiveMessageCommand({
            QueueUrl: queueUrl,
            MaxNumberOfMessages: MESSAGES_PER_CALL,
            WaitTimeSeconds: WAIT_SECONDS,
            MessageSystemAttributeNames: ['ApproximateReceiveCount'],
          }),
        );
        return Messages.map(({ MessageId = '', ReceiptHandle = '', Body = '', Attributes }) => ({
          id: MessageId,
          receipt: ReceiptHandle,
          body: Body,
          receiveCount: Number(Attributes?.ApproximateReceiveCount ?? 1),
        }));
      }),

    // A message that SQS fails to delete is received again and recognized.
    delete: (messages) =>
      call('Deleting from a queue', async (client, { DeleteMessageBatchCommand }) => {
        await inParallel(chunksOf(messages, MESSAGES_PER_CALL), PARALLEL_CALLS, async (batch) => {
          const Entries = batch.map(({ receipt }, index) => ({ Id: String(index), ReceiptHandle: receipt }));
          await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
        });
      }),

    postpone: (waits) =>
      call('Postponing messages', async (client, { ChangeMessageVisibilityCommand }) => {
        // SQS refuses a message that became visible meanwhile; the others must still be postponed.
        const failures = await inParallel(waits, PARALLEL_POSTPONEMENTS, async ({ message: { receipt }, seconds }) => {
          const VisibilityTimeout = Math.min(Math.max(Math.ceil(seconds), 0), MAX_SECONDS);
          const wait = { QueueUrl: queueUrl, ReceiptHandle: receipt, VisibilityTimeout };
          try {
            await client.send(new ChangeMessageVisibilityCommand(wait));
            return [];
          } catch (error) {
            if (isTransient(toSdkFailure(error))) throw error;
            return [error];
          }
        });
        for (const failure of failures.flat()) throw failure;
      }),
  };
}

function createClient({ SQSClient }: Sdk): Sqs.SQSClient {
  return new SQSClient({
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  });
}

async function orUnavailable<Result>(doing: string, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw toBridgeError('StateUnavailable', error, {
      doing,
      advice: "Check that the function has the right to receive from the channel's queue and to delete from it.",
    });
  }
}
