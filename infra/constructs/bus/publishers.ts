// Who may put the bridge's own events on its bus: functions whose role carries a tag with the bus's name.
import { Aws, CfnResource, RemovalPolicy, Tags } from 'aws-cdk-lib';
import type { EventBus, IEventBus } from 'aws-cdk-lib/aws-events';
import { AnyPrincipal, Effect, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { ACTION_LOG_SOURCE, BRIDGE_SOURCE } from '../../../functions/events/event.ts';

/** The tag of a role that may publish; its value is the name of the bus. docs/deploying.md names it. */
const PUBLISHER_TAG = 'publishes-membership-events-to';

/** The role may publish our events on the bus. It needs the right events:PutEvents as well. */
export function markAsPublisher(role: Role, bus: IEventBus): void {
  Tags.of(role).add(PUBLISHER_TAG, bus.eventBusName);
}

/**
 * Denies our sources to every other principal, whatever its own policies allow. Not by the ARNs of the roles, which are
 * in stacks that need this one. The second statement is there because another account tags its roles as it likes.
 */
export function letOnlyPublishersPut(bus: EventBus): void {
  const { eventBusName, eventBusArn } = bus;
  const deniedUnless = (sid: string, condition: Readonly<Record<string, string>>): void => {
    const statement = new PolicyStatement({
      sid,
      effect: Effect.DENY,
      principals: [new AnyPrincipal()],
      actions: ['events:PutEvents'],
      resources: [eventBusArn],
      conditions: {
        'ForAnyValue:StringEquals': { 'events:source': [ACTION_LOG_SOURCE, BRIDGE_SOURCE] },
        StringNotEquals: condition,
        // AWS itself has no tags. It puts events for the archive's replays, and only those that the bus once took.
        BoolIfExists: { 'aws:PrincipalIsAWSService': 'false' },
      },
    });
    // As a plain resource: cdk-nag reads a property of CfnEventBusPolicy that prints a warning for being deprecated.
    const policy = new CfnResource(bus, sid, {
      type: 'AWS::Events::EventBusPolicy',
      properties: { EventBusName: eventBusName, StatementId: sid, Statement: statement.toStatementJson() },
    });
    // It stays as long as the bus does.
    policy.applyRemovalPolicy(RemovalPolicy.RETAIN);
  };
  deniedUnless('OnlyPublishers', { [`aws:PrincipalTag/${PUBLISHER_TAG}`]: eventBusName });
  deniedUnless('OnlyThisAccount', { 'aws:PrincipalAccount': Aws.ACCOUNT_ID });
}
