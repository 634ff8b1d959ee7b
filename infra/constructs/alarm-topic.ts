// The topic that all alarms publish to. It stays while stacks with alarms come and go.
import { Aws, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';

export class AlarmTopic extends Construct {
  readonly topic: Topic;

  /** `email` gets a mail when an alarm fires or ends, once its owner has confirmed the subscription. */
  constructor(scope: Construct, id: string, { email }: { email: string | null }) {
    super(scope, id);
    // Not encrypted with KMS: CloudWatch may not use the key of AWS, so no alarm would arrive. Messages hold no data.
    this.topic = new Topic(this, 'Topic', { enforceSSL: true });
    this.topic.addToResourcePolicy(letAlarmsPublish(this, this.topic));
    this.topic.addToResourcePolicy(letRulesPublish(this.topic));
    if (email !== null) this.topic.addSubscription(new EmailSubscription(email));
  }
}

/** A topic policy replaces the default one, which lets alarms of the account publish. This restores that right. */
function letAlarmsPublish(scope: Construct, { topicArn }: ITopic): PolicyStatement {
  const anyAlarm = Stack.of(scope).formatArn({ service: 'cloudwatch', resource: 'alarm:*' });
  return new PolicyStatement({
    sid: 'AlarmsOfThisAccount',
    principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
    actions: ['sns:Publish'],
    resources: [topicArn],
    conditions: {
      StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
      ArnLike: { 'aws:SourceArn': anyAlarm },
    },
  });
}

/**
 * Without a condition: EventBridge's guide says that policies of topics cannot have any for its rules, which would not
 * be delivered. https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html#eb-sns-permissions
 */
function letRulesPublish({ topicArn }: ITopic): PolicyStatement {
  return new PolicyStatement({
    sid: 'Rules',
    principals: [new ServicePrincipal('events.amazonaws.com')],
    actions: ['sns:Publish'],
    resources: [topicArn],
  });
}
