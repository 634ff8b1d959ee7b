// One schedule per source: its ticks carry the source's settings, so there is no registry to read, and one source cannot hurt another.
import { Aws, Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal, type IRole } from 'aws-cdk-lib/aws-iam';
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
import type { SourceInput } from '../../functions/poller/settings.ts';

/** The group of the bridge's schedules, and the role under which they invoke the poller. */
export class SourceSchedules extends Construct {
  private readonly group: ScheduleGroup;
  private readonly role: IRole;
  private readonly poller: Alias;

  constructor(scope: Construct, id: string, { poller }: { poller: Alias }) {
    super(scope, id);
    this.poller = poller;
    this.group = new ScheduleGroup(this, 'Group', { removalPolicy: RemovalPolicy.DESTROY });
    this.role = this.createRole().withoutPolicyUpdates();
  }

  /** Adds a source, which is polled from the next minute on. */
  add({ settings, everyMinutes }: { settings: SourceInput; everyMinutes: number }): void {
    new Schedule(this, settings.sourceId, {
      description: `Polls the action log of ${settings.sourceId}`,
      scheduleGroup: this.group,
      schedule: ScheduleExpression.rate(Duration.minutes(everyMinutes)),
      timeWindow: TimeWindow.off(),
      target: new LambdaInvoke(this.poller, {
        input: ScheduleTargetInput.fromObject(settings),
        role: this.role,
        // A missed tick is worth nothing, because the next one reads what it would have read. (The default is 185 retries in a day.)
        retryAttempts: 0,
        maxEventAge: Duration.seconds(60),
      }),
    });
  }

  /** One of our own, because the one that the target would make may invoke every version of the function. */
  private createRole(): Role {
    const invoke = new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [this.poller.functionArn] });
    return new Role(this, 'Role', {
      description: 'Lets the schedules invoke the poller',
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: {
          StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID, 'aws:SourceArn': this.group.scheduleGroupArn },
        },
      }),
      inlinePolicies: { invoke: new PolicyDocument({ statements: [invoke] }) },
    });
  }
}
