import { statSync } from 'node:fs';
import { join } from 'node:path';
import {
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  DeleteScheduleCommand,
  GetScheduleCommand,
  GetScheduleGroupCommand,
  ListScheduleGroupsCommand,
  ListSchedulesCommand,
  SchedulerClient,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startLocalCloud } from '../../../../../infra/local/cloud/cloud.ts';
import type { LocalCloudOptions } from '../../../../../infra/local/cloud/cloud-options.ts';
import type { InvocationReport } from '../../../../../infra/local/lambda/invocations.ts';
import { writeFixtureAssembly } from '../../../../support/fixture-assembly.ts';
import { clientOptions } from '../../../../support/fixture-cloud.ts';
import { refusalOf } from '../../../../support/refusal.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';
import { until } from '../../../../support/until.ts';

const GROUP = 'Fixture-sources';
const ARN = 'arn:aws:lambda:eu-central-1:123456789012:function:Fixture-echo:live';
const ROLE = 'arn:aws:iam::123456789012:role/Fixture-schedules';
/** Prints the source that it is invoked for. */
const echo = { echo: { code: 'exports.handler = async ({ sourceId }) => console.info(`ran ${sourceId}`);' } };
const MORE = { Group: { Type: 'AWS::Scheduler::ScheduleGroup', Properties: { Name: GROUP } } };

function scheduleOf(Name: string, more: Partial<CreateScheduleCommandInput> = {}): CreateScheduleCommandInput {
  const Target = { Arn: ARN, RoleArn: ROLE, Input: JSON.stringify({ sourceId: Name }) };
  const FlexibleTimeWindow = { Mode: 'OFF' } as const;
  return { Name, GroupName: GROUP, ScheduleExpression: 'rate(1 minute)', FlexibleTimeWindow, Target, ...more };
}

/** `start` again continues from the same state. */
async function startWorld(options: Partial<LocalCloudOptions> = {}) {
  const folder = await temporaryFolder();
  const ran: string[] = [];
  const reports: InvocationReport[] = [];
  const assemblyFolder = await writeFixtureAssembly(join(folder, 'a'), echo, MORE);
  const start = async () => {
    const cloud = await startLocalCloud({
      assemblyFolder,
      stateFolder: join(folder, 's'),
      everyMs: null,
      onOutput: (line) => ran.push(...line.split(/.*ran /).filter((text) => text !== '')),
      onInvocation: (report) => reports.push(report),
      ...options,
    });
    onTestFinished(async () => await cloud.close());
    return { cloud, client: new SchedulerClient(clientOptions(cloud)) };
  };
  const runsOf = (name: string): number => ran.filter((one) => one === name).length;
  return { ...(await start()), start, runsOf, reports, file: join(folder, 's/schedules.json') };
}

describe('a schedule that a client makes', () => {
  test('fires at once and then at its rate, starts again when it is changed, and stops when it is off or gone', async () => {
    const { cloud, client, runsOf } = await startWorld();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const hasRun = async (minutes: number, runs: number[]) => {
      vi.advanceTimersByTime(minutes * 60_000);
      await cloud.services.lambda.resources.idle();
      await expect.poll(() => ['acme', 'added', 'changed', 'gone'].map(runsOf)).toEqual(runs);
    };
    cloud.startTicks(60_000);

    await client.send(new CreateScheduleCommand(scheduleOf('added')));
    await hasRun(2, [3, 3, 0, 0]);
    const Target = { Arn: ARN, RoleArn: ROLE, Input: '{"sourceId":"changed"}' };
    await client.send(new UpdateScheduleCommand(scheduleOf('added', { ScheduleExpression: 'rate(1 day)', Target })));
    await hasRun(3, [6, 3, 1, 0]);
    await client.send(new UpdateScheduleCommand(scheduleOf('added')));
    await hasRun(1, [7, 5, 1, 0]);
    await client.send(new UpdateScheduleCommand(scheduleOf('added', { State: 'DISABLED' })));
    await client.send(new CreateScheduleCommand(scheduleOf('gone')));
    await hasRun(1, [8, 5, 1, 2]);
    await client.send(new DeleteScheduleCommand({ Name: 'gone', GroupName: GROUP }));
    await hasRun(3, [11, 5, 1, 2]);
  });

  test.each(['function:Fixture-other:live', 'function:Fixture-echo:other'])(
    'fires in vain where its target is %s, which is not there',
    async (target) => {
      const { cloud, client, reports } = await startWorld();
      cloud.startTicks(60_000);
      const Target = { Arn: `arn:aws:lambda:eu-central-1:123456789012:${target}`, RoleArn: ROLE };

      await client.send(new CreateScheduleCommand(scheduleOf('lost', { Target })));

      const refused = reports.filter(({ error }) => error?.errorType === 'ResourceNotFoundException');
      expect(refused).toMatchObject([{ trigger: 'tick', error: { errorMessage: expect.stringContaining(target) } }]);
    },
  );

  test('is there after a restart, in a file of its owner alone; one of the template is as the template has it', async () => {
    const { cloud, client, start, runsOf, file } = await startWorld();
    const template = { GroupName: 'default', Name: 'Fixture-Schedule' };
    await client.send(new CreateScheduleCommand(scheduleOf('added', { Description: 'by a command' })));
    await client.send(new CreateScheduleCommand(scheduleOf('gone')));
    await client.send(new DeleteScheduleCommand({ Name: 'gone', GroupName: GROUP }));
    const before = await client.send(new GetScheduleCommand({ Name: 'added', GroupName: GROUP }));
    await client.send(new UpdateScheduleCommand({ ...scheduleOf('x', { State: 'DISABLED' }), ...template }));
    await cloud.close();
    const mode = statSync(file).mode & 0o777;

    const next = await start();
    const after = await next.client.send(new GetScheduleCommand({ Name: 'added', GroupName: GROUP }));
    const { Schedules = [] } = await next.client.send(new ListSchedulesCommand({}));
    next.cloud.startTicks(60_000);

    await until(() => runsOf('added') === 1);
    expect(mode).toBe(0o600);
    expect({ ...after, $metadata: 0 }).toEqual({ ...before, $metadata: 0 });
    expect(Schedules.map(({ Name, State }) => [Name, State])).toEqual(
      expect.arrayContaining([
        ['added', 'ENABLED'],
        ['Fixture-Schedule', 'ENABLED'],
      ]),
    );
  });
});

describe('the operations of Scheduler', () => {
  test('return a schedule whole, and what an update leaves out goes back to its default', async () => {
    const { client } = await startWorld();
    const asked = { Name: 'added', GroupName: GROUP };
    const Target = { Arn: ARN, RoleArn: ROLE, Input: '{"sourceId":"added"}', RetryPolicy: { MaximumRetryAttempts: 0 } };
    const made = scheduleOf('added', {
      Target,
      State: 'DISABLED',
      Description: 'first',
      ScheduleExpressionTimezone: 'Europe/Berlin',
    });

    const { ScheduleArn } = await client.send(new CreateScheduleCommand(made));
    const first = await client.send(new GetScheduleCommand(asked));
    await client.send(new UpdateScheduleCommand(scheduleOf('added')));
    const second = await client.send(new GetScheduleCommand(asked));

    expect(ScheduleArn).toBe(`arn:aws:scheduler:eu-central-1:123456789012:schedule/${GROUP}/added`);
    expect(first).toMatchObject({ ...made, Arn: ScheduleArn, ActionAfterCompletion: 'NONE' });
    expect(second).toMatchObject({
      State: 'ENABLED',
      ScheduleExpressionTimezone: 'UTC',
      CreationDate: first.CreationDate,
    });
    expect(second.Target?.RetryPolicy).toEqual({ MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 });
    expect(second).not.toHaveProperty('Description');
    expect(Number(second.LastModificationDate)).toBeGreaterThan(Number(first.LastModificationDate));
  });

  test('list by group, prefix and state, page by page, whatever is deleted in between', async () => {
    const { client } = await startWorld();
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1']) await client.send(new CreateScheduleCommand(scheduleOf(name)));
    await client.send(new CreateScheduleCommand(scheduleOf('a5', { State: 'DISABLED' })));
    const asked = { GroupName: GROUP, NamePrefix: 'a', State: 'ENABLED', MaxResults: 2 } as const;

    const first = await client.send(new ListSchedulesCommand(asked));
    await client.send(new DeleteScheduleCommand({ Name: 'a2', GroupName: GROUP }));
    const second = await client.send(new ListSchedulesCommand({ ...asked, NextToken: first.NextToken }));
    const groups = await client.send(new ListScheduleGroupsCommand({ NamePrefix: 'Fix' }));

    expect([first, second].map(({ Schedules = [] }) => Schedules.map(({ Name }) => Name))).toEqual([
      ['a1', 'a2'],
      ['a3', 'a4'],
    ]);
    expect(second.NextToken).toBeUndefined();
    expect(first.Schedules?.[0]).toEqual({
      Arn: `arn:aws:scheduler:eu-central-1:123456789012:schedule/${GROUP}/a1`,
      Name: 'a1',
      GroupName: GROUP,
      State: 'ENABLED',
      CreationDate: expect.any(Date) as Date,
      LastModificationDate: expect.any(Date) as Date,
      Target: { Arn: ARN },
    });
    expect(groups.ScheduleGroups?.map(({ Name }) => Name)).toEqual([GROUP]);
  });

  test("refuse in AWS's words, and take a creation that is sent again", async () => {
    const { client } = await startWorld();
    const create = async (more: Partial<CreateScheduleCommandInput>) =>
      await client.send(new CreateScheduleCommand(scheduleOf('added', more)));
    const nameOf = async (sent: Promise<unknown>): Promise<string> => (await refusalOf(sent)).name;
    await create({ ClientToken: 'once' });

    expect((await create({ ClientToken: 'once' })).ScheduleArn).toMatch(/added$/);
    expect(await nameOf(create({}))).toBe('ConflictException');
    for (const GroupName of [GROUP, 'other']) {
      const Name = GroupName === GROUP ? 'none' : 'added';
      const sent = await Promise.all([
        nameOf(client.send(new GetScheduleCommand({ Name, GroupName }))),
        nameOf(client.send(new UpdateScheduleCommand(scheduleOf(Name, { GroupName })))),
        nameOf(client.send(new DeleteScheduleCommand({ Name, GroupName }))),
      ]);
      expect(new Set(sent)).toEqual(new Set(['ResourceNotFoundException']));
    }
    expect(await nameOf(create({ GroupName: 'other' }))).toBe('ResourceNotFoundException');
    expect(await nameOf(client.send(new ListSchedulesCommand({ GroupName: 'other' })))).toBe(
      'ResourceNotFoundException',
    );
    expect(await nameOf(client.send(new GetScheduleGroupCommand({ Name: 'other' })))).toBe('ResourceNotFoundException');
    const wrong: Partial<CreateScheduleCommandInput>[] = [
      { Name: 'with space' },
      { Name: 'x'.repeat(65) },
      { Name: 'w', ScheduleExpression: 'rate(0 minutes)' },
      { Name: 'w', ScheduleExpression: 'every minute' },
      { Name: 'w', ScheduleExpressionTimezone: 'Europe/Nowhere' },
      { Name: 'w', Target: { Arn: 'poller', RoleArn: ROLE } },
      { Name: 'w', Target: { Arn: ARN, RoleArn: ARN } },
      { Name: 'w', Target: { Arn: ARN, RoleArn: ROLE, Input: 'no JSON' } },
      { Name: 'w', Target: undefined },
    ];
    for (const one of wrong) expect([one, await nameOf(create(one))]).toEqual([one, 'ValidationException']);
  });
});
