// What goes wrong between the bus and its targets, as EventBridge tells it: a log group of its own, so that a rule without a dead-letter queue loses nothing in silence.
import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import {
  CfnDelivery,
  CfnDeliveryDestination,
  CfnDeliverySource,
  CfnResourcePolicy,
  LogGroup,
  type RetentionDays,
} from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';

export class BusErrorLog extends Construct {
  constructor(scope: Construct, id: string, props: { bus: IEventBus; logRetentionDays: RetentionDays }) {
    super(scope, id);
    const stack = Stack.of(this);
    const name = `${stack.stackName}-bus-errors`;
    const logGroup = new LogGroup(this, 'Logs', {
      logGroupName: `/aws/vendedlogs/events/event-bus/${stack.stackName}`,
      retention: props.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const policy = new CfnResourcePolicy(this, 'Policy', {
      policyName: name,
      policyDocument: stack.toJsonString({
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Principal: { Service: 'delivery.logs.amazonaws.com' },
            Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
            Resource: `${logGroup.logGroupArn}:log-stream:*`,
            Condition: {
              StringEquals: { 'aws:SourceAccount': stack.account },
              ArnLike: { 'aws:SourceArn': stack.formatArn({ service: 'logs', resource: '*' }) },
            },
          },
        ],
      }),
    });
    const source = new CfnDeliverySource(this, 'Source', {
      name,
      logType: 'ERROR_LOGS',
      resourceArn: props.bus.eventBusArn,
    });
    const destination = new CfnDeliveryDestination(this, 'Destination', {
      name,
      deliveryDestinationType: 'CWL',
      destinationResourceArn: logGroup.logGroupArn,
    });
    const delivery = new CfnDelivery(this, 'Delivery', {
      deliverySourceName: source.ref,
      deliveryDestinationArn: destination.attrArn,
    });
    delivery.addResourceDependency(policy);
  }
}
