// The schedules of digests: each makes the notifier drain one channel's queue at a time of day in the channel's zone.
import { Duration, RemovalPolicy, TimeZone } from 'aws-cdk-lib';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import {
  ContextAttribute,
  Schedule,
  ScheduleExpression,
  ScheduleGroup,
  ScheduleTargetInput,
  TimeWindow,
} from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Construct } from 'constructs';
import type { DigestSettings } from '../../settings/notifier-settings.ts';
import { createScheduleRole } from '../schedule-role.ts';

/** A digest that is later than this no longer belongs to its time of day. */
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

  /**
   * `digestAt` is a time of day such as "08:00". Scheduler skips a day on which the clocks jump over it; the next
   * digest has that day's changes. A weekly digest is invoked every day, too: the notifier sends it on its day, or on
   * the next day on which it can.
   */
  add({ name, digestAt, digestOn, timeZone }: { name: string; timeZone: string } & DigestSettings): void {
    const [hour, minute] = digestAt.split(':').map(Number);
    const input = digestOn === undefined ? { drain: name } : { drain: name, at: ContextAttribute.scheduledTime };
    new Schedule(this, name, {
      description: `Sends the digest of the channel ${name}${digestOn === undefined ? '' : `, of ${digestOn}s or as soon as possible after`}`,
      scheduleGroup: this.group,
      schedule: ScheduleExpression.cron({
        minute: String(minute),
        hour: String(hour),
        timeZone: TimeZone.of(timeZone),
      }),
      timeWindow: TimeWindow.off(),
      target: new LambdaInvoke(this.notifier, {
        input: ScheduleTargetInput.fromObject(input),
        role: this.role,
        // Unsent changes wait in the queue for the next digest, so the schedule needs no queue of its own.
        ...RETRIES,
      }),
    });
  }
}
