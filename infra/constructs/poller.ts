// The poller's function: how it runs, and the few things that it may do.
import { join } from 'node:path';
import { Duration } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, Architecture, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { PollerEnvironment } from '../../functions/poller/config.ts';
import { BUNDLING, NODE_OPTIONS, PROJECT_FOLDER } from './bundling.ts';

export const POLLER_ENTRY = join(PROJECT_FOLDER, 'functions/poller/handler.ts');

/** The alias that the schedules invoke. */
const LIVE = 'live';

/** What the poller asks of DynamoDB; a test compares it with what is imported on the way from its handler. */
const TABLE_ACTIONS = [
  'dynamodb:GetItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:Query',
  'dynamodb:BatchWriteItem',
];

type PollerProps = { bus: IEventBus; table: ITable; secrets: readonly ISecret[]; logRetentionDays: number };

export class Poller extends Construct {
  /** What is invoked: the version deployed last. */
  readonly live: Alias;

  constructor(scope: Construct, id: string, props: PollerProps) {
    super(scope, id);
    const logGroup = new LogGroup(this, 'Logs', { retention: props.logRetentionDays });
    const poll = new NodejsFunction(this, 'Function', {
      description: 'Reads the action log of a membership service and publishes its entries as events',
      entry: POLLER_ENTRY,
      projectRoot: PROJECT_FOLDER,
      depsLockFilePath: join(PROJECT_FOLDER, 'package-lock.json'),
      bundling: BUNDLING,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: 256,
      // Less than the minute between two ticks.
      timeout: Duration.seconds(55),
      environment: { ...environmentOf(props), NODE_OPTIONS },
      role: this.createRole(props, logGroup),
      logGroup,
      loggingFormat: LoggingFormat.JSON,
    });
    this.live = new Alias(this, 'Live', {
      aliasName: LIVE,
      version: poll.currentVersion,
      // The next tick is the retry: one that waited is worth nothing, and a storm of them would be worse.
      retryAttempts: 0,
      maxEventAge: Duration.seconds(60),
    });
  }

  /** Not the managed role for functions, which may write to every log group. */
  private createRole({ bus, table, secrets }: PollerProps, logGroup: LogGroup): Role {
    const statements = [
      allow(TABLE_ACTIONS, [table.tableArn]),
      allow(['events:PutEvents', 'events:DescribeEventBus'], [bus.eventBusArn]),
      allow(
        ['secretsmanager:GetSecretValue'],
        secrets.map(({ secretArn }) => secretArn),
      ),
      allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [logGroup.logGroupArn]),
    ];
    return new Role(this, 'Role', {
      description: 'What the poller may do',
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { poller: new PolicyDocument({ statements }) },
    });
  }
}

function environmentOf({ bus, table }: PollerProps) {
  return {
    STATE_TABLE_NAME: table.tableName,
    EVENT_BUS_NAME: bus.eventBusName,
    LOG_LEVEL: 'INFO',
  } satisfies PollerEnvironment;
}

function allow(actions: string[], resources: string[]): PolicyStatement {
  return new PolicyStatement({ actions, resources });
}
