// The bus that the bridge publishes to, its policy, and the archive that replays its events.
import { Aws, Duration, Fn, RemovalPolicy } from 'aws-cdk-lib';
import { EventBus, IncludeDetail, Level } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import { letOnlyPublishersPut } from './publishers.ts';
import { ACTION_LOG_SOURCE, BRIDGE_SOURCE } from '../../../functions/events/event.ts';

const ARCHIVED_FOR = Duration.days(90);

/** Every event that the bridge publishes. */
export const ALL_EVENTS = { source: [ACTION_LOG_SOURCE, BRIDGE_SOURCE] };

export class BridgeEventBus extends Construct {
  readonly bus: EventBus;
  readonly archiveArn: string;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.bus = new EventBus(this, 'Bus', {
      eventBusName: nameOfThisStackOnly(),
      description: 'Events made from the action logs of membership services',
      // Without detail, which holds members' data. infra/constructs/bus/bus-error-log.ts states where the log goes.
      // The bus needs no dead-letter queue: that is for events which a customer key no longer decrypts.
      logConfig: { level: Level.ERROR, includeDetail: IncludeDetail.NONE },
    });
    letOnlyPublishersPut(this.bus);
    const archive = this.bus.archive('Archive', {
      description: 'Everything that the bridge has published',
      eventPattern: ALL_EVENTS,
      retention: ARCHIVED_FOR,
    });
    // Both stay: a removed archive takes 90 days of replay with it, and it replays only to the bus it was made for.
    this.bus.applyRemovalPolicy(RemovalPolicy.RETAIN);
    archive.applyRemovalPolicy(RemovalPolicy.RETAIN);
    this.archiveArn = archive.archiveArn;
  }
}

/**
 * CloudFormation requires a name for a bus and generates none. This one ends in a part of the stack's id, as generated
 * names do, so a stack that is deployed again after its removal does not collide with its old bus.
 */
function nameOfThisStackOnly(): string {
  const stackId = Fn.select(2, Fn.split('/', Aws.STACK_ID));
  return Fn.join('-', [Aws.STACK_NAME, Fn.select(0, Fn.split('-', stackId))]);
}
