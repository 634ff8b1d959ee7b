// The dashboard of an environment: alarms, heartbeat, lag, entries, duplicates, consumers, dead letters.
import { Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  Metric,
  Stats,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { Alarms } from '../alarms.ts';
import type { BridgeFunction } from '../bridge-function.ts';
import { POLLER_QUERIES } from './saved-queries.ts';

const WHOLE_WIDTH = 24;
const HALF_WIDTH = 12;
const HEIGHT = 6;
const PERIOD = Duration.minutes(5);
/** CloudWatch's limit of a widget. */
const MAX_ALARMS = 100;

/** What the dashboard shows of the poller, which is in another stack. */
export type WatchedPoller = { sourceIds: readonly string[]; logGroupName: string };

type BridgeDashboardProps = {
  /** The name of the dashboard, and the namespace of the poller's metrics. */
  bridgeName: string;
  alarms: Alarms;
  poller: WatchedPoller;
  consumers: readonly BridgeFunction[];
};

/**
 * Lag, entries and duplicates are no metrics, which would cost more than everything else: they are queries of the
 * poller's log, run when somebody looks.
 */
export class BridgeDashboard extends Construct {
  constructor(scope: Construct, id: string, props: BridgeDashboardProps) {
    super(scope, id);
    const { bridgeName, alarms, poller, consumers } = props;
    const queryOf = (title: string, queryLines: readonly string[], view: LogQueryVisualizationType): IWidget =>
      new LogQueryWidget({
        title,
        view,
        logGroupNames: [poller.logGroupName],
        queryLines: [...queryLines],
        width: HALF_WIDTH,
        height: HEIGHT,
      });
    const [runs] = POLLER_QUERIES.isItRead;
    new Dashboard(this, 'Dashboard', {
      dashboardName: bridgeName,
      defaultInterval: Duration.days(1),
      widgets: [
        [introduction(bridgeName)],
        [this.alarmStates(alarms)],
        [
          ...graph('Successful polls of each source', polls(bridgeName, poller.sourceIds)),
          queryOf(
            'Lag of the source furthest behind, in minutes',
            [runs, 'stats max(lagMs) / 60000 as lag by bin(5m)'],
            LogQueryVisualizationType.LINE,
          ),
        ],
        [
          queryOf('Entries, by the hour', POLLER_QUERIES.howMany, LogQueryVisualizationType.STACKEDAREA),
          queryOf('Each source', POLLER_QUERIES.isItRead, LogQueryVisualizationType.TABLE),
        ],
        ...row(
          graph(
            'Consumers: invocations',
            consumers.map((one) => ofFunction(one, 'Invocations')),
          ),
          graph(
            'Consumers: failed invocations',
            consumers.map((one) => ofFunction(one, 'Errors')),
          ),
        ),
        ...row(graph('Consumers: dead letters', this.ofThisStack(alarms).map(lettersOf), WHOLE_WIDTH)),
      ],
    });
  }

  /** Those of the event log have only their alarm: each value of another stack is one more that has to be read. */
  private ofThisStack({ deadLetters }: Alarms): Alarms['deadLetters'] {
    return deadLetters.filter(({ queue }) => Stack.of(queue) === Stack.of(this));
  }

  private alarmStates({ names }: Alarms): IWidget {
    return new AlarmStatusWidget({
      title: 'Alarms',
      width: WHOLE_WIDTH,
      height: HEIGHT / 2,
      alarms: names.slice(0, MAX_ALARMS).map((name) => Alarm.fromAlarmName(this, name.replaceAll('/', '-'), name)),
    });
  }
}

function introduction(bridgeName: string): IWidget {
  const command = `npx membership-bridge status --stack ${bridgeName}`;
  return new TextWidget({
    markdown: `**${bridgeName}**: \`${command}\` says in words whether it is fine. docs/operating.md has a section for each alarm. More queries are saved in Logs Insights under ${bridgeName}.`,
    width: WHOLE_WIDTH,
    height: 1,
  });
}

/** None without metrics, which CloudWatch would refuse. */
function graph(title: string, left: Metric[], width = HALF_WIDTH): IWidget[] {
  if (left.length === 0) return [];
  return [new GraphWidget({ title, left, width, height: HEIGHT, leftYAxis: { min: 0 } })];
}

function row(...graphs: IWidget[][]): IWidget[][] {
  const widgets = graphs.flat();
  return widgets.length === 0 ? [] : [widgets];
}

function polls(namespace: string, sourceIds: readonly string[]): Metric[] {
  return sourceIds.map(
    (sourceId) =>
      new Metric({
        namespace,
        metricName: 'SuccessfulPoll',
        dimensionsMap: { service: 'poller', sourceId },
        statistic: Stats.SUM,
        period: PERIOD,
        label: sourceId,
      }),
  );
}

/** Labelled by the construct, because the function's own name is generated. */
function ofFunction({ functionName, node }: BridgeFunction, metricName: 'Invocations' | 'Errors'): Metric {
  return new Metric({
    namespace: 'AWS/Lambda',
    metricName,
    dimensionsMap: { FunctionName: functionName },
    statistic: Stats.SUM,
    period: PERIOD,
    label: node.path.split('/').slice(1, -1).join(' ') || node.id,
  });
}

function lettersOf({ owner, queue }: Alarms['deadLetters'][number]): Metric {
  return new Metric({
    namespace: 'AWS/SQS',
    metricName: 'ApproximateNumberOfMessagesVisible',
    dimensionsMap: { QueueName: queue.queueName },
    statistic: Stats.MAXIMUM,
    period: PERIOD,
    label: owner,
  });
}
