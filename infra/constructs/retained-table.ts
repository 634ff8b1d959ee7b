// A table that outlives the stack: what it remembers is nowhere else.
import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';

/** The names of its attributes. */
type Keys = { partition: string; sort: string; timeToLive: string };

export class RetainedTable extends Construct {
  readonly table: Table;

  constructor(scope: Construct, id: string, { partition, sort, timeToLive }: Keys) {
    super(scope, id);
    this.table = new Table(this, 'Table', {
      partitionKey: { name: partition, type: AttributeType.STRING },
      sortKey: { name: sort, type: AttributeType.STRING },
      timeToLiveAttribute: timeToLive,
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }
}
