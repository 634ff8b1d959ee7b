// The bus that the bridge publishes to, and the archive from which its events can be replayed.
import { Duration } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import { ACTION_LOG_SOURCE, BRIDGE_SOURCE } from '../../functions/events/event.ts';

const ARCHIVED_FOR = Duration.days(90);

export class BridgeEventBus extends Construct {
  readonly bus: EventBus;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.bus = new EventBus(this, 'Bus', { description: 'Events made from the action logs of membership services' });
    this.bus.archive('Archive', {
      description: 'Everything that the bridge has published',
      eventPattern: { source: [ACTION_LOG_SOURCE, BRIDGE_SOURCE] },
      retention: ARCHIVED_FOR,
    });
  }
}
