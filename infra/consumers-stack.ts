// The consumers that are switched on, each with a rule on the bus and a function, and the dashboard.
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { BridgeDashboard, type WatchedPoller } from './constructs/cloudwatch/dashboard.ts';
import { ConsumerQueries } from './constructs/cloudwatch/saved-queries.ts';
import { BridgeFunction } from './constructs/bridge-function.ts';
import { ApiReceiver } from './constructs/consumers/api-destination.ts';
import { Audit, type AuditProps } from './constructs/audit/audit.ts';
import { Consumer, type ConsumerSurroundings } from './constructs/consumers/consumer.ts';
import { Notifier } from './constructs/notifier/notifier.ts';
import { constructIdOf } from './settings/consumers/consumer-name.ts';
import type { BridgeSettings } from './settings/settings.ts';

type ConsumersStackProps = ConsumerSurroundings &
  Pick<BridgeSettings, 'consumers' | 'notifier' | 'apiDestinations'> & {
    audit: Omit<AuditProps, 'bridgeName'> | null;
    bridgeName: string;
    /** What the dashboard shows of the poller; null without a dashboard. */
    dashboard: WatchedPoller | null;
  };

export class ConsumersStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    { consumers, notifier, apiDestinations, audit, bridgeName, dashboard, ...surroundings }: ConsumersStackProps,
  ) {
    super(scope, id, { description: 'What is done with the events of the membership event bridge' });
    for (const consumer of consumers)
      new Consumer(this, constructIdOf(consumer.name), { ...surroundings, ...consumer });
    for (const settings of apiDestinations)
      new ApiReceiver(this, `Receiver-${settings.name}`, { ...surroundings, settings });
    if (audit !== null) new Audit(this, 'Audit', { ...surroundings, bridgeName, ...audit });
    if (notifier.channels.length > 0) new Notifier(this, 'Notifier', { ...surroundings, ...notifier });
    const functions = this.node.findAll().filter((one) => one instanceof BridgeFunction);
    const logGroupNames = functions.map(({ logGroupName }) => logGroupName);
    if (logGroupNames.length > 0) new ConsumerQueries(this, 'Queries', { bridgeName, logGroupNames });
    const { alarms } = surroundings;
    if (dashboard !== null)
      new BridgeDashboard(this, 'Dashboard', { bridgeName, alarms, poller: dashboard, consumers: functions });
  }
}
