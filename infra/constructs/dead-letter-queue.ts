// Where an event waits that a target could not take: for two weeks, encrypted, watched by an alarm.
import { Duration, Validations } from 'aws-cdk-lib';
import type { Rule, RuleTargetConfig } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Alarms } from './alarms.ts';

/**
 * How long EventBridge goes on handing an event to a target: its longest, which is its default too. What fails here is never a consumer's code, because
 * Lambda takes an event before it runs anything, but AWS itself, and that passes; an event that gave up sooner would make work for a person.
 */
export const DELIVERY_RETRIES = { attempts: 185, maxAge: Duration.hours(24) };

export class DeadLetterQueue extends Construct {
  readonly queue: Queue;

  /** `owner` is whose letters these are, in the words of the alarm. */
  constructor(scope: Construct, id: string, { owner, alarms }: { owner: string; alarms: Alarms }) {
    super(scope, id);
    this.queue = new Queue(this, 'Queue', {
      // SQS's longest.
      retentionPeriod: Duration.days(14),
      // Not a key of KMS: EventBridge could not use the one of AWS, and one of ours would have to let it in.
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
    });
    Validations.of(this.queue).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason:
        'It is itself a dead-letter queue, of a rule and of a function; AWS Solutions sees only those of other queues.',
    });
    alarms.watchDeadLetters(this, { owner, queue: this.queue });
  }

  /** For a target of our own making: those of the CDK let their rule in by themselves. */
  letSend({ ruleArn }: Rule): void {
    this.queue.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('events.amazonaws.com')],
        actions: ['sqs:SendMessage'],
        resources: [this.queue.queueArn],
        conditions: { ArnEquals: { 'aws:SourceArn': ruleArn } },
      }),
    );
  }

  /** The limits of repeats and the queue, as a target of our own making has them. */
  forTarget(): Pick<RuleTargetConfig, 'deadLetterConfig' | 'retryPolicy'> {
    const { attempts, maxAge } = DELIVERY_RETRIES;
    return {
      deadLetterConfig: { arn: this.queue.queueArn },
      retryPolicy: { maximumRetryAttempts: attempts, maximumEventAgeInSeconds: maxAge.toSeconds() },
    };
  }
}
