// What the deliverer remembers of destinations. It outlives the stack: what waits there is nowhere else for long.
import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { DESTINATION_TABLE_KEYS } from '../../../functions/aws/destinations/layout.ts';

export class DestinationsTable extends Construct {
  readonly table: Table;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.table = new Table(this, 'Table', {
      partitionKey: { name: DESTINATION_TABLE_KEYS.partition, type: AttributeType.STRING },
      sortKey: { name: DESTINATION_TABLE_KEYS.sort, type: AttributeType.STRING },
      timeToLiveAttribute: DESTINATION_TABLE_KEYS.timeToLive,
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }
}
