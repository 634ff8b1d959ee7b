// The schedules of an environment, read from EventBridge Scheduler.
import { GetScheduleCommand, paginateListSchedules, SchedulerClient } from '@aws-sdk/client-scheduler';
import type { ListedSchedule, ScheduleReader, SourceSchedule } from '../../source/schedules.ts';
import { CALLS } from '../clients.ts';
import { toBridgeError, toSdkFailure } from '../sdk-failure.ts';

/** The most that Scheduler returns at once. */
const PAGE_SIZE = 100;

export function createSchedulerClient(): SchedulerClient {
  return new SchedulerClient(CALLS);
}

export function createScheduleReader({
  client,
  groupName,
}: {
  client: SchedulerClient;
  groupName: string;
}): ScheduleReader {
  const failed = (doing: string, action: string) => (error: unknown) => {
    const advice = `Check that the schedule group ${groupName} exists, and the right ${action}.`;
    throw toBridgeError('SchedulesUnavailable', error, { doing, advice });
  };
  return {
    list: async () =>
      await listAll(client, groupName).catch(
        failed(`Listing the schedules of ${groupName}`, 'scheduler:ListSchedules'),
      ),
    read: async (sourceId) =>
      await readOne(client, { groupName, sourceId }).catch(
        failed(`Reading the schedule of ${sourceId}`, 'scheduler:GetSchedule'),
      ),
  };
}

async function listAll(client: SchedulerClient, GroupName: string): Promise<ListedSchedule[]> {
  const all: ListedSchedule[] = [];
  for await (const { Schedules = [] } of paginateListSchedules({ client, pageSize: PAGE_SIZE }, { GroupName }))
    for (const { Name = '', State, CreationDate, LastModificationDate, Target } of Schedules)
      all.push({
        sourceId: Name,
        isEnabled: State === 'ENABLED',
        createdAt: CreationDate?.getTime() ?? 0,
        changedAt: (LastModificationDate ?? CreationDate)?.getTime() ?? 0,
        targetArn: Target?.Arn ?? '',
      });
  return all;
}

async function readOne(
  client: SchedulerClient,
  { groupName: GroupName, sourceId }: { groupName: string; sourceId: string },
): Promise<SourceSchedule | null> {
  const found = await client.send(new GetScheduleCommand({ Name: sourceId, GroupName })).catch((error: unknown) => {
    if (toSdkFailure(error).name === 'ResourceNotFoundException') return null;
    throw error;
  });
  if (found === null) return null;
  const { State, ScheduleExpression: expression = '', Target } = found;
  const { Arn: targetArn = '', RoleArn: roleArn = '', Input: input = '{}' } = Target ?? {};
  return { sourceId, isEnabled: State === 'ENABLED', expression, targetArn, roleArn, input };
}
