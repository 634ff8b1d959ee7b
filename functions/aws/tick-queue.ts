// Ticks as delayed messages in SQS. A body names source and slot alone: settings come from the state, because whoever
// could send a message could otherwise send a password to another service.
import type * as Sqs from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { integerInput, patternInput, objectInput } from '../shared/checked-input.ts';
import { chunksOf } from '../shared/chunks.ts';
import type { TickQueue } from '../source/ports.ts';
import type { Tick } from '../source/tick.ts';
import { toBridgeError } from './sdk-failure.ts';
import { plainJsonIn } from '../shared/plain-json.ts';

/** The limit of SendMessageBatch. */
const MESSAGES_PER_CALL = 10;
const CONNECTION_TIMEOUT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 2_000;

type Sdk = typeof Sqs;

/** The SDK is loaded with the first ticks, because most sources have none. */
export function createTickQueue({ queueUrl }: { queueUrl: string }): TickQueue {
  let client: Sqs.SQSClient | null = null;
  const sendAll = async (ticks: readonly Tick[], now: number): Promise<void> => {
    const sdk = await import('@aws-sdk/client-sqs');
    client ??= createClient(sdk);
    for (const batch of chunksOf(ticks, MESSAGES_PER_CALL)) {
      const Entries = batch.map((tick, index) => ({
        Id: String(index),
        MessageBody: JSON.stringify(tick),
        // Rounded up: a tick that comes early finds what the one before it has found.
        DelaySeconds: Math.max(0, Math.ceil((tick.slot - now) / 1_000)),
      }));
      const { Failed = [] } = await client.send(new sdk.SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
      for (const { Code = 'UnknownError' } of Failed) throw Object.assign(new Error(), { name: Code });
    }
  };
  return {
    async send(ticks, now) {
      try {
        await sendAll(ticks, now);
      } catch (error) {
        throw toBridgeError('StateUnavailable', error, {
          doing: 'Sending ticks',
          advice: 'Check that the function has the right to send to the queue of ticks.',
        });
      }
    },
  };
}

function createClient({ SQSClient }: Sdk): Sqs.SQSClient {
  return new SQSClient({
    maxAttempts: 2,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  });
}

const tick = objectInput({
  sourceId: patternInput("a source's id", /[a-z0-9][a-z0-9-]{0,62}/),
  slot: integerInput(0, Number.MAX_SAFE_INTEGER),
});
const delivery = z.object({ Records: z.array(z.object({ body: z.string() })) });

/** The ticks in an invocation's event, null for one that no queue has sent. A body of another form is left out. */
export function ticksIn(event: unknown): Tick[] | null {
  const read = z.safeParse(delivery, event);
  if (!read.success) return null;
  return read.data.Records.flatMap(({ body }) => {
    const parsed = z.safeParse(tick, plainJsonIn(body));
    return parsed.success ? [parsed.data] : [];
  });
}
