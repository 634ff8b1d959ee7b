// What must outlive everything else: the bus with its archive, the state, the secrets. Changed rarely, and protected from being removed.
import { Stack } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { BridgeEventBus } from './constructs/event-bus.ts';
import { publishOutput } from './constructs/published-output.ts';
import { SourceCredentials } from './constructs/source-credentials.ts';
import { StateTable } from './constructs/state-table.ts';
import type { BridgeSettings } from './settings.ts';

export class DataStack extends Stack {
  readonly bus: IEventBus;
  readonly table: ITable;
  private readonly secrets: ReadonlyMap<string, ISecret>;

  constructor(scope: Construct, id: string, { sources }: Pick<BridgeSettings, 'sources'>) {
    super(scope, id, {
      description: 'What the membership event bridge remembers: its event bus and archive, its state, its secrets',
      terminationProtection: true,
    });
    this.bus = new BridgeEventBus(this, 'EventBus').bus;
    this.table = new StateTable(this, 'State').table;
    const credentials = new Construct(this, 'Credentials');
    this.secrets = new Map(
      sources.map(({ settings: { sourceId } }) => [
        sourceId,
        new SourceCredentials(credentials, sourceId, { sourceId }).secret,
      ]),
    );
    this.tellNames();
  }

  /** The secret of one of the sources that the stack was made for. */
  secretOf(sourceId: string): ISecret {
    const secret = this.secrets.get(sourceId);
    if (secret === undefined) throw new RangeError(`${sourceId} is no source of ${this.stackName}`);
    return secret;
  }

  private tellNames(): void {
    const { eventBusName, eventBusArn } = this.bus;
    const { tableName, tableArn } = this.table;
    publishOutput(this, 'EventBusName', { description: 'The bus to put rules on', value: eventBusName });
    publishOutput(this, 'EventBusArn', { description: 'The same bus, for policies', value: eventBusArn });
    publishOutput(this, 'StateTableName', { description: 'The table with state and quarantine', value: tableName });
    publishOutput(this, 'StateTableArn', { description: 'The same table, for policies', value: tableArn });
  }
}
