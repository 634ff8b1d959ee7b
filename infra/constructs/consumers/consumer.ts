// A consumer: a rule on the bus, its function, the table that makes it idempotent, and one dead-letter queue for both.
import { Duration } from 'aws-cdk-lib';
import { type EventPattern, type IEventBus, Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { ApplicationLogLevel } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { Construct } from 'constructs';
import type { BridgeSettings } from '../../settings/settings.ts';
import type { Alarms } from '../alarms.ts';
import { allow, BridgeFunction } from '../bridge-function.ts';
import { DeadLetterQueue, DELIVERY_RETRIES } from '../dead-letter-queue.ts';
import { IDEMPOTENCY_ACTIONS, IdempotencyTable } from './idempotency-table.ts';

/** Lambda's maximum: a failed invocation is retried after one minute and after two more. */
export const INVOCATION_RETRIES = { retryAttempts: 2, maxEventAge: Duration.hours(6) };

export type ConsumerSurroundings = Pick<BridgeSettings, 'logLevel' | 'logRetentionDays'> & {
  bus: IEventBus;
  alarms: Alarms;
};

type ConsumerProps = ConsumerSurroundings & {
  /** As its alarm names it, such as `member-change`. */
  name: string;
  description: string;
  /** Path from the project's folder to the file that exports `handler`. */
  entry: string;
  eventPattern: EventPattern;
  environment?: Readonly<Record<string, string>>;
  memoryMb?: number;
  /** Of one invocation; 10 seconds where absent. */
  timeout?: Duration;
};

export class Consumer extends Construct {
  constructor(scope: Construct, id: string, props: ConsumerProps) {
    super(scope, id);
    const { queue } = new DeadLetterQueue(this, 'DeadLetters', { owner: props.name, alarms: props.alarms });
    const { table } = new IdempotencyTable(this, 'Idempotency');
    const { live } = new BridgeFunction(this, 'Function', {
      description: props.description,
      entry: props.entry,
      environment: { ...props.environment, IDEMPOTENCY_TABLE_NAME: table.tableName },
      memoryMb: props.memoryMb ?? 256,
      timeout: props.timeout ?? Duration.seconds(10),
      logRetentionDays: props.logRetentionDays,
      logLevel: ApplicationLogLevel[props.logLevel],
      statements: [allow(['sqs:SendMessage'], [queue.queueArn]), allow(IDEMPOTENCY_ACTIONS, [table.tableArn])],
      onFailure: { ...INVOCATION_RETRIES, destination: new SqsDestination(queue) },
    });
    new Rule(this, 'Rule', {
      description: props.description,
      eventBus: props.bus,
      eventPattern: props.eventPattern,
      targets: [
        new LambdaFunction(live, {
          deadLetterQueue: queue,
          retryAttempts: DELIVERY_RETRIES.attempts,
          maxEventAge: DELIVERY_RETRIES.maxAge,
        }),
      ],
    });
  }
}
