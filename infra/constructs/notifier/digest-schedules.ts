// The schedules of digests: at its time of day, in its zone, each has the notifier drain the queue of one channel.
import { Duration, RemovalPolicy, TimeZone } from 'aws-cdk-lib';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import {
  Schedule,
  ScheduleExpression,
  ScheduleGroup,
  ScheduleTargetInput,
  TimeWindow,
} from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Construct } from 'constructs';
import { createScheduleRole } from '../schedule-role.ts';

/** As long as one may still call it the digest of that time of day. */
const RETRIES = { retryAttempts: 10, maxEventAge: Duration.hours(1) };

export class DigestSchedules extends Construct {
  private readonly group: ScheduleGroup;
  private readonly role: IRole;
  private readonly notifier: Alias;

  constructor(scope: Construct, id: string, { notifier }: { notifier: Alias }) {
    super(scope, id);
    this.notifier = notifier;
    this.group = new ScheduleGroup(this, 'Group', { removalPolicy: RemovalPolicy.DESTROY });
    this.role = createScheduleRole(this, {
      group: this.group,
      invoked: notifier,
      description: 'Lets the schedules of digests invoke the notifier',
    });
  }

  /** `at` is a time of day such as "08:00". Where the clocks are put forward over it, Scheduler leaves that day out, and the next digest has its changes too. */
  add({ name, at, timeZone }: { name: string; at: string; timeZone: string }): void {
    const [hour, minute] = at.split(':').map(Number);
    new Schedule(this, name, {
      description: `Tells the channel ${name} what has happened`,
      scheduleGroup: this.group,
      schedule: ScheduleExpression.cron({
        minute: String(minute),
        hour: String(hour),
        timeZone: TimeZone.of(timeZone),
      }),
      timeWindow: TimeWindow.off(),
      target: new LambdaInvoke(this.notifier, {
        input: ScheduleTargetInput.fromObject({ drain: name }),
        role: this.role,
        // What is not told today waits in the queue for tomorrow, so no queue is needed for a schedule that could not fire.
        ...RETRIES,
      }),
    });
  }
}
