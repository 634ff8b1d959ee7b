// One schedule per source. Each tick carries the source's settings: there is no registry, and sources stay independent.
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
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
import type { SourceInput } from '../../../functions/source/settings.ts';
import { createScheduleRole } from '../schedule-role.ts';

/** The group of the bridge's schedules, and the role under which they invoke the poller. */
export class SourceSchedules extends Construct {
  private readonly group: ScheduleGroup;
  private readonly role: IRole;
  private readonly poller: Alias;

  constructor(scope: Construct, id: string, { poller }: { poller: Alias }) {
    super(scope, id);
    this.poller = poller;
    this.group = new ScheduleGroup(this, 'Group', { removalPolicy: RemovalPolicy.DESTROY });
    this.role = createScheduleRole(this, {
      group: this.group,
      invoked: poller,
      description: 'Lets the schedules invoke the poller',
    });
  }

  /** Adds a source. Its first poll follows within a minute. */
  add({ settings, everyMinutes }: { settings: SourceInput; everyMinutes: number }): void {
    new Schedule(this, settings.sourceId, {
      description: `Polls the action log of ${settings.sourceId}`,
      scheduleGroup: this.group,
      schedule: ScheduleExpression.rate(Duration.minutes(everyMinutes)),
      timeWindow: TimeWindow.off(),
      target: new LambdaInvoke(this.poller, {
        input: ScheduleTargetInput.fromObject(settings),
        role: this.role,
        // A missed tick adds nothing to the next one, which reads the same. The default would be 185 retries in a day.
        retryAttempts: 0,
        maxEventAge: Duration.seconds(60),
      }),
    });
  }
}
