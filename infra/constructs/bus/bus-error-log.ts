// EventBridge's log of errors between the bus and its targets, in its own log group.
import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import {
  CfnDelivery,
  CfnDeliveryDestination,
  CfnDeliverySource,
  CfnResourcePolicy,
  type ILogGroup,
  LogGroup,
  type RetentionDays,
} from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';

/**
 * The bus itself states what it logs (LogConfig); this states where the log goes. EventBridge's guide on logs of event
 * buses lists the parts: a source, a destination, a delivery between them, and a policy for the delivering service.
 */
export class BusErrorLog extends Construct {
  constructor(scope: Construct, id: string, props: { bus: IEventBus; logRetentionDays: RetentionDays }) {
    super(scope, id);
    const { stackName } = Stack.of(this);
    const name = `${stackName}-bus-errors`;
    const logGroup = new LogGroup(this, 'Logs', {
      // AWS's prefix for logs that its services deliver, where consoles look for them.
      logGroupName: `/aws/vendedlogs/events/event-bus/${stackName}`,
      retention: props.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
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
    delivery.addResourceDependency(this.letWrite(name, source, logGroup));
  }

  /** Without this policy, AWS creates one or does not, depending on the rights of whoever deploys. */
  private letWrite(policyName: string, source: CfnDeliverySource, logGroup: ILogGroup): CfnResourcePolicy {
    const stack = Stack.of(this);
    // Not the group's own ARN: it ends in `:*` and would match no stream with this suffix.
    const streams = stack.formatArn({
      service: 'logs',
      resource: 'log-group',
      resourceName: `${logGroup.logGroupName}:log-stream:*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    return new CfnResourcePolicy(this, 'Policy', {
      policyName,
      policyDocument: stack.toJsonString({
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Principal: { Service: 'delivery.logs.amazonaws.com' },
            Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
            Resource: streams,
            Condition: {
              StringEquals: { 'aws:SourceAccount': stack.account },
              ArnLike: { 'aws:SourceArn': source.attrArn },
            },
          },
        ],
      }),
    });
  }
}
