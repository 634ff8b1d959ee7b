// Which schedules a function that walks all sources may read: those of its environment, however many there are.
import { Aws, Validations } from 'aws-cdk-lib';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { scheduleGroupName } from '../../../functions/source/fixed-names.ts';
import { allow } from '../bridge-function.ts';

/** `bridgeName` is the name of the poller's stack. */
export function allowReadingSchedules(bridgeName: string): PolicyStatement[] {
  return [
    allow(['scheduler:GetSchedule'], [schedulesIn(bridgeName, [Aws.PARTITION, Aws.REGION, Aws.ACCOUNT_ID])]),
    allow(['scheduler:ListSchedules'], ['*']),
  ];
}

/** For the function with these rights. The list, on all resources, is acknowledged with the function's others. */
export function acknowledgeReadingSchedules(scope: Construct, bridgeName: string): void {
  const schedules = schedulesIn(bridgeName, ['<AWS::Partition>', '<AWS::Region>', '<AWS::AccountId>']);
  const reason = 'Commands add sources to the group at any time.';
  Validations.of(scope).acknowledge({ id: `AwsSolutions-IAM5[Resource::${schedules}]`, reason });
}

function schedulesIn(bridgeName: string, [partition, region, account]: [string, string, string]): string {
  return `arn:${partition}:scheduler:${region}:${account}:schedule/${scheduleGroupName(bridgeName)}/*`;
}
