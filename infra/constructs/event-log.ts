// Every event as it lies on the bus, readable for a week: for the first steps with a source, and for a question about yesterday. It holds members' data.
import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { type IEventBus, Rule, type RuleTargetConfig } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnResourcePolicy, LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Alarms } from './alarms.ts';
import { DeadLetterQueue, DELIVERY_RETRIES } from './dead-letter-queue.ts';
import { ALL_EVENTS } from './event-bus.ts';

/** Who writes into the log group: EventBridge, and the service by which it does. */
const WRITERS = { Service: ['events.amazonaws.com', 'delivery.logs.amazonaws.com'] };

export class EventLog extends Construct {
  private readonly logGroupArn: string;
  private readonly logGroupName: string;

  constructor(scope: Construct, id: string, { bus, alarms }: { bus: IEventBus; alarms: Alarms }) {
    super(scope, id);
    const stack = Stack.of(this);
    this.logGroupName = `/aws/events/${stack.stackName}`;
    const logGroup = new LogGroup(this, 'Logs', {
      logGroupName: this.logGroupName,
      retention: RetentionDays.ONE_WEEK,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.logGroupArn = stack.formatArn({
      service: 'logs',
      resource: 'log-group',
      resourceName: logGroup.logGroupName,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    const { queue } = new DeadLetterQueue(this, 'DeadLetters', { owner: 'event log', alarms });
    const rule = new Rule(this, 'Rule', {
      description: 'Every event of the bridge goes to the event log',
      eventBus: bus,
      eventPattern: ALL_EVENTS,
    });
    rule.addTarget({ bind: () => this.target(queue.queueArn) });
    queue.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('events.amazonaws.com')],
        actions: ['sqs:SendMessage'],
        resources: [queue.queueArn],
        conditions: { ArnEquals: { 'aws:SourceArn': rule.ruleArn } },
      }),
    );
    this.letRuleWrite(rule);
  }

  /** The CDK's own target for log groups brings a function along that writes the policy below. */
  private target(deadLetterArn: string): RuleTargetConfig {
    const { attempts, maxAge } = DELIVERY_RETRIES;
    return {
      arn: this.logGroupArn,
      deadLetterConfig: { arn: deadLetterArn },
      retryPolicy: { maximumRetryAttempts: attempts, maximumEventAgeInSeconds: maxAge.toSeconds() },
    };
  }

  private letRuleWrite(rule: Rule): void {
    const stack = Stack.of(this);
    new CfnResourcePolicy(this, 'Policy', {
      policyName: `${stack.stackName}-event-log`,
      policyDocument: stack.toJsonString({
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Principal: WRITERS,
            Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
            Resource: `${this.logGroupArn}:*`,
            Condition: { ArnEquals: { 'aws:SourceArn': rule.ruleArn } },
          },
        ],
      }),
    });
  }
}
