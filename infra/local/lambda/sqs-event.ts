// The event with which a function receives a batch of messages, and the meaning of its answer.
import type { Outcome } from './function-child.ts';
import { md5Of, type MessageAttributes } from '../sqs/message-attributes.ts';
import type { ReceivedMessage } from '../sqs/queue.ts';

export function toSqsEvent(batch: readonly ReceivedMessage[], queueArn: string): object {
  return {
    Records: batch.map((message) => ({
      messageId: message.id,
      receiptHandle: message.receipt,
      body: message.body,
      attributes: {
        ApproximateReceiveCount: String(message.receiveCount),
        SentTimestamp: String(message.sentAt),
        SenderId: 'local',
        ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
      },
      messageAttributes: toRecordAttributes(message.attributes),
      md5OfBody: md5Of(message.body),
      eventSource: 'aws:sqs',
      eventSourceARN: queueArn,
      awsRegion: queueArn.split(':')[3],
    })),
  };
}

function toRecordAttributes(attributes: MessageAttributes): object {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, { DataType, StringValue, BinaryValue }]) => [
      name,
      { dataType: DataType, stringValue: StringValue, binaryValue: BinaryValue },
    ]),
  );
}

/** Ids of the messages that stay in the queue: all if the invocation failed or its answer names an unknown message. */
export function failedIds(
  { result, error }: Outcome,
  batch: readonly { id: string }[],
  reportsFailures: boolean,
): ReadonlySet<string> {
  const all = new Set(batch.map(({ id }) => id));
  if (error !== undefined) return all;
  if (!reportsFailures) return new Set();
  const answer: unknown = JSON.parse(result ?? 'null');
  if (answer === null) return new Set();
  if (typeof answer !== 'object') return all;
  const { batchItemFailures: failures = [] } = answer as { batchItemFailures?: unknown };
  if (failures === null) return new Set();
  if (!Array.isArray(failures)) return all;
  const ids = failures.map((failure) => (failure as { itemIdentifier?: unknown } | null)?.itemIdentifier);
  return ids.every((id) => typeof id === 'string' && all.has(id)) ? new Set(ids as string[]) : all;
}
