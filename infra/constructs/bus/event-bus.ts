// The bus that the bridge publishes to, and the archive from which its events can be replayed.
import { Aws, Duration, Fn, RemovalPolicy } from 'aws-cdk-lib';
import { EventBus, IncludeDetail, Level } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
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
      eventBusName: nameForTheLifeOfTheStack(),
      description: 'Events made from the action logs of membership services',
      // Without detail, which would be members' data. infra/constructs/bus/bus-error-log.ts says where it goes. (A dead-letter queue of the bus itself would be
      // for events that a key of our own no longer opens; with EventBridge's key there are none.)
      logConfig: { level: Level.ERROR, includeDetail: IncludeDetail.NONE },
    });
    const archive = this.bus.archive('Archive', {
      description: 'Everything that the bridge has published',
      eventPattern: ALL_EVENTS,
      retention: ARCHIVED_FOR,
    });
    // With the archive go 90 days of replay, which nothing brings back; and an archive replays to the bus it was made of, on which others have their rules.
    this.bus.applyRemovalPolicy(RemovalPolicy.RETAIN);
    archive.applyRemovalPolicy(RemovalPolicy.RETAIN);
    this.archiveArn = archive.archiveArn;
  }
}

/**
 * CloudFormation wants a name for a bus and makes none itself. This one has a part of the stack's id, as the names that it makes for other
 * resources do: a stack deployed again after it was removed finds its old bus still there, under another name.
 */
function nameForTheLifeOfTheStack(): string {
  const stackId = Fn.select(2, Fn.split('/', Aws.STACK_ID));
  return Fn.join('-', [Aws.STACK_NAME, Fn.select(0, Fn.split('-', stackId))]);
}
