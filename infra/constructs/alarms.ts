// The alarms of the bridge and the topic that tells of them: one alarm per question that an operator has to answer.
import { Aws, Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

/** Shorter periods would leave too few polls in one to tell a slow tick from a missing one. */
const SHORTEST_PERIOD_MINUTES = 5;
const PERIODS_WITHOUT_POLL = 3;

/** Twice what Firehose buffers at most. */
const LONGEST_WAIT_SECONDS = 1_800;

type AlarmsProps = {
  /** Begins the name of every alarm, and is the namespace of the poller's metrics. */
  bridgeName: string;
  /** Gets a mail for every alarm that fires or is over, after it has been confirmed. */
  email: string | null;
};

export class Alarms extends Construct {
  readonly topic: Topic;
  private readonly bridgeName: string;

  constructor(scope: Construct, id: string, { bridgeName, email }: AlarmsProps) {
    super(scope, id);
    this.bridgeName = bridgeName;
    // Without encryption by KMS: CloudWatch may not use the key of AWS, and alarms would be silent. A message holds no more than name, state and metric of an alarm.
    this.topic = new Topic(this, 'Topic', { enforceSSL: true });
    this.topic.addToResourcePolicy(this.letCloudWatchPublish());
    if (email !== null) this.topic.addSubscription(new EmailSubscription(email));
  }

  /** The alarms of a source: whether it is read at all, whether its credentials are the cause, and whether all that is read is published. */
  watchSource({ sourceId, everyMinutes }: { sourceId: string; everyMinutes: number }): void {
    const period = Duration.minutes(Math.max(SHORTEST_PERIOD_MINUTES, everyMinutes));
    const scope = new Construct(this, sourceId);
    const metric = { namespace: this.bridgeName, dimensionsMap: { service: 'poller', sourceId }, period };
    this.add(scope, 'NoSuccessfulPoll', {
      name: `${sourceId}: no successful poll`,
      description:
        `No poll of ${sourceId} has succeeded for ${period.toMinutes() * PERIODS_WITHOUT_POLL} minutes. ` +
        'First read the last lines of the poller\'s log, then "No successful poll" in docs/operating.md.',
      metric: new Metric({ ...metric, metricName: 'SuccessfulPoll', statistic: Stats.SUM }),
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      evaluationPeriods: PERIODS_WITHOUT_POLL,
      // A schedule that does not tick and a function that does not start write no metric at all.
      treatMissingData: TreatMissingData.BREACHING,
    });
    this.add(scope, 'CredentialsRefused', {
      name: `${sourceId}: credentials refused`,
      description:
        `The service refuses username or password of ${sourceId}. ` +
        'First check the user in its admin panel and fill the secret anew; read "Credentials refused" in docs/operating.md.',
      metric: new Metric({ ...metric, metricName: 'CredentialsRefused', statistic: Stats.MAXIMUM }),
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 1,
      // Runs that fail for other reasons, or are skipped, know nothing of the credentials: what was last known stays true.
      treatMissingData: TreatMissingData.IGNORE,
    });
    this.add(scope, 'Quarantined', {
      name: `${sourceId}: entries in quarantine`,
      description:
        `Entries of ${sourceId} that the bus does not take were put into quarantine; all others are published. ` +
        'First list them, as "Entries in quarantine" in docs/operating.md shows.',
      metric: new Metric({ ...metric, metricName: 'Quarantined', statistic: Stats.SUM }),
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 1,
      // Written only where there were any. It tells of each new one; what lies there already is no news.
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }

  /** An alarm in `scope`, which may lie in another stack, for the first letter that arrives; it is over when the queue is empty. */
  watchDeadLetters(scope: Construct, { owner, queue }: { owner: string; queue: IQueue }): void {
    this.add(scope, 'Alarm', {
      name: `${owner}: dead letters`,
      description:
        `Events that ${owner} could not deal with lie in the queue ${queue.queueName}, for 14 days. ` +
        'First read what one of them says, as "Dead letters" in docs/operating.md shows.',
      metric: new Metric({
        namespace: 'AWS/SQS',
        metricName: 'ApproximateNumberOfMessagesVisible',
        dimensionsMap: { QueueName: queue.queueName },
        statistic: Stats.MAXIMUM,
        period: Duration.minutes(SHORTEST_PERIOD_MINUTES),
      }),
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 1,
      // SQS reports nothing of a queue that has been empty and unused for hours.
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }

  /** An alarm in `scope` for a function that an hourly schedule invokes; it is over with the first hour in which no run fails. */
  watchHourlyRuns(scope: Construct, { owner, functionName }: { owner: string; functionName: string }): void {
    this.add(scope, 'Failing', {
      name: `${owner}: failing`,
      description:
        `A run of ${owner} has failed within the last hour. ` +
        `First read the last lines of the function ${functionName}'s log, then "Audit sealer failing" in docs/operating.md.`,
      metric: new Metric({
        namespace: 'AWS/Lambda',
        metricName: 'Errors',
        dimensionsMap: { FunctionName: functionName },
        statistic: Stats.SUM,
        period: Duration.hours(1),
      }),
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 1,
      // An hour without a run is not a failed one: what was last known stays true.
      treatMissingData: TreatMissingData.IGNORE,
    });
  }

  /** An alarm in `scope` for a stream that cannot write what it holds; Firehose tries for a day, and then it is gone. */
  watchDelivery(scope: Construct, { owner, streamName }: { owner: string; streamName: string }): void {
    this.add(scope, 'Waiting', {
      name: `${owner}: not written`,
      description:
        `Events have waited in the stream ${streamName} for half an hour: it cannot write them into the bucket, and gives up after a day. ` +
        'First read what the stream\'s log says, as "Audit copy not written" in docs/operating.md shows.',
      metric: new Metric({
        namespace: 'AWS/Firehose',
        metricName: 'DeliveryToS3.DataFreshness',
        dimensionsMap: { DeliveryStreamName: streamName },
        statistic: Stats.MAXIMUM,
        period: Duration.minutes(SHORTEST_PERIOD_MINUTES),
      }),
      threshold: LONGEST_WAIT_SECONDS,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 1,
      // A stream through which nothing goes has no age.
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }

  private add(
    scope: Construct,
    id: string,
    {
      name,
      description,
      threshold = 1,
      ...props
    }: Omit<AlarmProps, 'threshold'> & { name: string; description: string; threshold?: number },
  ): void {
    const alarm = new Alarm(scope, id, {
      ...props,
      alarmName: `${this.bridgeName} ${name}`,
      alarmDescription: description,
      threshold,
    });
    const tell = new SnsAction(this.topic);
    alarm.addAlarmAction(tell);
    alarm.addOkAction(tell);
  }

  /** A topic with a policy has not the one it would have without, under which alarms of its account may publish. */
  private letCloudWatchPublish(): PolicyStatement {
    const anyAlarm = Stack.of(this).formatArn({ service: 'cloudwatch', resource: 'alarm:*' });
    return new PolicyStatement({
      sid: 'AlarmsOfThisAccount',
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [this.topic.topicArn],
      conditions: {
        StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
        ArnLike: { 'aws:SourceArn': anyAlarm },
      },
    });
  }
}
