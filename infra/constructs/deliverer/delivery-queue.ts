// A queue before the deliverer, with its rule on the bus and its reader.
import { Duration } from 'aws-cdk-lib';
import { type EventPattern, type IEventBus } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { type Alias, EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { BusRule } from '../bus/bus-rule.ts';
import { DELIVERY_RETRIES } from '../dead-letter-queue.ts';

/** An invocation that fails has no table or no keys: an hour and more of attempts, then the letter waits. */
const MAX_RECEIVES = 12;
const BATCH_SIZE = 10;

type DeliveryQueueProps = {
  what: string;
  bus: IEventBus;
  eventPattern: EventPattern;
  dead: IQueue;
  /** Of the deliverer. */
  timeout: Duration;
};

export class DeliveryQueue extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, id: string, { what, bus, eventPattern, dead, timeout }: DeliveryQueueProps) {
    super(scope, id);
    this.queue = new Queue(this, 'Queue', {
      // As Lambda asks for.
      visibilityTimeout: Duration.seconds(6 * timeout.toSeconds()),
      retentionPeriod: Duration.days(14),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      deadLetterQueue: { queue: dead, maxReceiveCount: MAX_RECEIVES },
    });
    new BusRule(this, 'Rule', {
      description: `${what} for the destinations of webhooks`,
      eventBus: bus,
      eventPattern,
      targets: [
        new SqsQueue(this.queue, {
          deadLetterQueue: dead,
          retryAttempts: DELIVERY_RETRIES.attempts,
          maxEventAge: DELIVERY_RETRIES.maxAge,
        }),
      ],
    });
  }

  /** At most so many invocations at the same time. */
  invoke(target: Alias, { maxConcurrency }: { maxConcurrency: number }): void {
    new EventSourceMapping(this, 'Mapping', {
      target,
      eventSourceArn: this.queue.queueArn,
      batchSize: BATCH_SIZE,
      reportBatchItemFailures: true,
      maxConcurrency,
    });
  }
}
