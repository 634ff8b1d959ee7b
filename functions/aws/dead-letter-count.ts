// Counts the messages of queues.
import { toOperatorError } from './operator-failure.ts';

type QueueCount = { url: string; messages: number };

/** Counts in the order of `urls`. SQS's counts are approximate. Rejects with StateUnavailable. */
export async function countMessages(urls: readonly string[]): Promise<QueueCount[]> {
  if (urls.length === 0) return [];
  // Loaded on demand, because most checks count no queue.
  const { GetQueueAttributesCommand, SQSClient } = await import('@aws-sdk/client-sqs');
  const client = new SQSClient({});
  const countOf = async (url: string): Promise<QueueCount> => {
    const command = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['ApproximateNumberOfMessages'] });
    const { Attributes } = await client.send(command);
    return { url, messages: Number(Attributes?.ApproximateNumberOfMessages ?? 0) };
  };
  try {
    return await Promise.all(urls.map(countOf));
  } catch (error) {
    const advice = 'Check the addresses of the queues, and that your AWS credentials may read their attributes.';
    throw toOperatorError('StateUnavailable', error, { doing: 'Counting the messages of dead-letter queues', advice });
  }
}
