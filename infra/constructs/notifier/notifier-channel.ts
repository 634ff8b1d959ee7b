// One channel of the notifier: its rule, its queue, and where those lie that could not be told. Nothing of it is shared with another channel.
import { Duration } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ACTION_LOG_SOURCE, BRIDGE_SOURCE } from '../../../functions/events/event.ts';
import type { NotifierChannelSettings } from '../../settings/notifier-settings.ts';
import type { ConsumerSurroundings } from '../consumers/consumer.ts';
import { DeadLetterQueue, DELIVERY_RETRIES } from '../dead-letter-queue.ts';

/** With the notifier's own waits more than two hours; where it dies each time with a batch in its hands, and the visibility timeout is the wait, more than one. */
const MOST_RECEIVES = 12;

/** Nobody is told now of what happened long ago; notices have no backfillId. */
const NOTHING_OLD = {
  'replay-name': [{ exists: false }],
  detail: { metadata: { backfillId: [null, { exists: false }] } },
};

type ChannelProps = Pick<ConsumerSurroundings, 'bus' | 'alarms'> & {
  channel: NotifierChannelSettings;
  /** How long a message that was handed out stays away; more than the function's time. */
  visibility: Duration;
};

export class NotifierChannelQueue extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, id: string, { channel, visibility, bus, alarms }: ChannelProps) {
    super(scope, id);
    const { name, detailTypes } = channel;
    const { queue: dead } = new DeadLetterQueue(this, 'DeadLetters', { owner: `notifier ${name}`, alarms });
    this.queue = new Queue(this, 'Queue', {
      visibilityTimeout: visibility,
      // SQS's longest: what waits while a channel is refused is told when it works again.
      retentionPeriod: Duration.days(14),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      deadLetterQueue: { queue: dead, maxReceiveCount: MOST_RECEIVES },
    });
    new Rule(this, 'Rule', {
      description: `What the channel ${name} is told of`,
      eventBus: bus,
      eventPattern: {
        source: [ACTION_LOG_SOURCE, BRIDGE_SOURCE],
        detailType: detailTypes,
        ...NOTHING_OLD,
      },
      targets: [
        new SqsQueue(this.queue, {
          deadLetterQueue: dead,
          retryAttempts: DELIVERY_RETRIES.attempts,
          maxEventAge: DELIVERY_RETRIES.maxAge,
        }),
      ],
    });
  }
}
