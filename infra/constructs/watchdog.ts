// The watchdog: every five minutes it looks at all sources at once, whoever has added them.
import { Aws, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import { type Alias, ApplicationLogLevel } from 'aws-cdk-lib/aws-lambda';
import {
  Schedule,
  ScheduleExpression,
  ScheduleGroup,
  ScheduleTargetInput,
  TimeWindow,
} from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Construct } from 'constructs';
import { ADDED_PARTITION, WATCHDOG_PARTITION } from '../../functions/aws/table/state-layout.ts';
import { BRIDGE_SOURCE } from '../../functions/events/event.ts';
import { scheduleGroupName, scheduleRoleName } from '../../functions/source/fixed-names.ts';
import type { SourceInput } from '../../functions/source/settings.ts';
import type { WatchdogEnvironment } from '../../functions/watchdog/config.ts';
import type { BridgeSettings } from '../settings/settings.ts';
import { allow, BridgeFunction } from './bridge-function.ts';
import { deployedSources } from './poller/deployed-sources.ts';
import type { Poller } from './poller/poller.ts';
import { allowInPartition, allowInSources } from './poller/state-rights.ts';
import { createScheduleRole } from './schedule-role.ts';

const WATCHDOG_ENTRY = 'functions/watchdog/handler.ts';
const EVERY = Duration.minutes(5);
/** The next look is the retry. */
const RETRIES = { retryAttempts: 0, maxEventAge: Duration.seconds(60) };

type WatchdogProps = Pick<BridgeSettings, 'logLevel' | 'logRetentionDays'> & {
  bus: IEventBus;
  table: ITable;
  /** Of cdk.json. */
  sources: readonly SourceInput[];
  poller: Poller;
};

export class Watchdog extends Construct {
  /** Of the function. */
  readonly logGroupName: string;
  readonly functionName: string;
  /** What its schedule invokes. */
  readonly live: Alias;
  readonly schedule: Schedule;

  constructor(scope: Construct, id: string, props: WatchdogProps) {
    super(scope, id);
    const { live, logGroupName, functionName } = this.createFunction(props);
    this.logGroupName = logGroupName;
    this.functionName = functionName;
    this.live = live;
    const group = new ScheduleGroup(this, 'Group', { removalPolicy: RemovalPolicy.DESTROY });
    const description = 'Lets the schedule invoke the watchdog';
    const role = createScheduleRole(this, { group, invoked: live, description });
    this.schedule = new Schedule(this, 'Schedule', {
      description: 'Looks at all sources',
      scheduleGroup: group,
      schedule: ScheduleExpression.rate(EVERY),
      timeWindow: TimeWindow.off(),
      target: new LambdaInvoke(live, {
        input: ScheduleTargetInput.fromObject({ minuteMs: Duration.minutes(1).toMilliseconds() }),
        role,
        ...RETRIES,
      }),
    });
  }

  private createFunction({ bus, table, sources, poller, logLevel, logRetentionDays }: WatchdogProps): BridgeFunction {
    const { stackName } = Stack.of(this);
    const groupName = scheduleGroupName(stackName);
    const schedules = `arn:${Aws.PARTITION}:scheduler:${Aws.REGION}:${Aws.ACCOUNT_ID}:schedule/${groupName}/*`;
    const named = `arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:schedule/${groupName}/*`;
    Validations.of(this).acknowledge(
      { id: `AwsSolutions-IAM5[Resource::${named}]`, reason: 'Commands add sources to the group at any time.' },
      { id: 'AwsSolutions-IAM5[Resource::*]', reason: 'The list of schedules knows no resources.' },
    );
    return new BridgeFunction(this, 'Function', {
      description: 'Looks at all sources every five minutes, and says which are silent',
      entry: WATCHDOG_ENTRY,
      environment: {
        STATE_TABLE_NAME: table.tableName,
        EVENT_BUS_NAME: bus.eventBusName,
        SCHEDULE_GROUP_NAME: groupName,
        POLLER_ARN: poller.live.functionArn,
        SCHEDULE_ROLE_ARN: `arn:${Aws.PARTITION}:iam::${Aws.ACCOUNT_ID}:role/${scheduleRoleName(stackName, Aws.REGION)}`,
        METRICS_NAMESPACE: stackName,
        LOG_LEVEL: logLevel,
      } satisfies WatchdogEnvironment,
      files: deployedSources(sources),
      memoryMb: 256,
      timeout: Duration.seconds(60),
      logRetentionDays,
      // Embedded metrics are INFO lines. The watchdog itself filters by LOG_LEVEL.
      logLevel: logLevel === 'DEBUG' ? ApplicationLogLevel.DEBUG : ApplicationLogLevel.INFO,
      publishes: { to: bus, sources: [BRIDGE_SOURCE] },
      statements: [
        allow(['scheduler:ListSchedules'], ['*']),
        allow(['scheduler:GetSchedule'], [schedules]),
        allowInSources(table, ['BatchGetItem'], ['body', 'leaseUntil', 'pause']),
        allowInPartition(table, ['Query'], ADDED_PARTITION, ['record']),
        allowInPartition(table, ['GetItem', 'PutItem'], WATCHDOG_PARTITION, ['record']),
      ],
      onFailure: RETRIES,
    });
  }
}
