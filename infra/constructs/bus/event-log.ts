// Every event as it lies on the bus, readable for a week: for the first days of a source, and for a question about yesterday. It holds members' data.
import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { type IEventBus, Rule } from 'aws-cdk-lib/aws-events';
import { CfnResourcePolicy, LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Alarms } from '../alarms.ts';
import { DeadLetterQueue } from '../dead-letter-queue.ts';
import { ALL_EVENTS } from './event-bus.ts';

export class EventLog extends Construct {
  constructor(scope: Construct, id: string, { bus, alarms }: { bus: IEventBus; alarms: Alarms }) {
    super(scope, id);
    const stack = Stack.of(this);
    const logGroup = new LogGroup(this, 'Logs', {
      // EventBridge's console shows only targets with this prefix.
      logGroupName: `/aws/events/${stack.stackName}`,
      retention: RetentionDays.ONE_WEEK,
      // Whoever switches the log off wants the data of its members gone.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // Not the group's own attribute, which ends in ":*" and as a target swallows every event.
    const logGroupArn = stack.formatArn({
      service: 'logs',
      resource: 'log-group',
      resourceName: logGroup.logGroupName,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    const deadLetters = new DeadLetterQueue(this, 'DeadLetters', { owner: 'event log', alarms });
    const rule = new Rule(this, 'Rule', {
      description: 'Every event of the bridge goes to the event log',
      eventBus: bus,
      eventPattern: ALL_EVENTS,
      // The CDK's own target for log groups brings a function along that writes the policy below.
      targets: [{ bind: () => ({ arn: logGroupArn, ...deadLetters.forTarget() }) }],
    });
    deadLetters.letSend(rule);
    this.letWrite(rule, logGroupArn);
  }

  /** As EventBridge's guide on resource-based policies has it: streams are created in no rule's name, lines are written in that of ours alone. */
  private letWrite(rule: Rule, logGroupArn: string): void {
    const stack = Stack.of(this);
    const writers = { Service: ['events.amazonaws.com', 'delivery.logs.amazonaws.com'] };
    new CfnResourcePolicy(this, 'Policy', {
      policyName: `${stack.stackName}-event-log`,
      policyDocument: stack.toJsonString({
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Principal: writers,
            Action: 'logs:CreateLogStream',
            Resource: `${logGroupArn}:*`,
          },
          {
            Effect: 'Allow',
            Principal: writers,
            Action: 'logs:PutLogEvents',
            Resource: `${logGroupArn}:*`,
            Condition: { ArnEquals: { 'aws:SourceArn': rule.ruleArn } },
          },
        ],
      }),
    });
  }
}
