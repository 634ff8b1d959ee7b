// The bridge on AWS: which parts there are and how they are joined. Each part is a construct of its own.
import { CfnOutput, Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { BridgeEventBus } from './constructs/event-bus.ts';
import { Poller } from './constructs/poller.ts';
import { SourceCredentials } from './constructs/source-credentials.ts';
import { SourceSchedules } from './constructs/source-schedule.ts';
import { StateTable } from './constructs/state-table.ts';
import type { BridgeSettings } from './settings.ts';

export class BridgeStack extends Stack {
  constructor(scope: Construct, id: string, { sources, logRetentionDays }: BridgeSettings) {
    super(scope, id, { description: 'Turns the action log of a membership service into events' });
    const { bus } = new BridgeEventBus(this, 'EventBus');
    const { table } = new StateTable(this, 'State');
    const credentials = new Construct(this, 'Credentials');
    const withSecrets = sources.map((source) => {
      const { sourceId } = source.settings;
      return { ...source, secret: new SourceCredentials(credentials, sourceId, { sourceId }).secret };
    });
    const secrets = withSecrets.map(({ secret }) => secret);
    const poller = new Poller(this, 'Poller', { bus, table, secrets, logRetentionDays });
    const schedules = new SourceSchedules(this, 'Schedules', { poller: poller.live });
    for (const { settings, everyMinutes, secret } of withSecrets)
      schedules.add({ settings: { ...settings, secretId: secret.secretArn }, everyMinutes });

    new CfnOutput(this, 'EventBusName', { description: 'The bus to put rules on', value: bus.eventBusName });
    new CfnOutput(this, 'EventBusArn', { description: 'The same bus, for policies', value: bus.eventBusArn });
  }
}
