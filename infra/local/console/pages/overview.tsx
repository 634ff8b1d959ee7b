// Whether the bridge is fine, in words; how fast it is; what goes on now; alarms.
import { useMemo } from 'preact/hooks';
import type { AlarmRow, LiveMessages, PollRun, SourceStatus } from '../messages.ts';
import { titleIn } from '../../terminal/guide.ts';
import { Chart, type Series } from './chart.tsx';
import { consumersOf, failingEvents, healthOf } from './consumer-health.ts';
import { Guide } from './guide.tsx';
import { useLive } from './live.ts';
import { Badge, Card, Change, counted, Foreign, Nothing, spanText, Time, type Tone } from './parts.tsx';

const CHART_MS = 30 * 60_000;
const RUNS_SHOWN = 5;

const TONES: Readonly<Record<SourceStatus['verdict'], Tone>> = {
  fine: 'good',
  'not fine': 'bad',
  'not known': 'quiet',
};

export function Overview() {
  const { status, runs, alarms } = useLive();
  const firing = [...alarms.values()].filter(({ state }) => state === 'ALARM');
  return (
    <>
      {status === null ? (
        <Nothing>Asking how the bridge is…</Nothing>
      ) : (
        status.sources.map((source) => (
          <Source
            key={source.sourceId}
            source={source}
            runs={runs.filter((run) => isOf(run, source, status.sources))}
          />
        ))
      )}
      {status && <Consumers status={status} />}
      <Alarms alarms={firing} />
    </>
  );
}

/** A run that failed names no source; where there is one, it is its own. */
function isOf({ sourceId }: PollRun, source: SourceStatus, all: readonly SourceStatus[]): boolean {
  return sourceId === source.sourceId || (sourceId === null && all.length === 1);
}

function Source({ source, runs }: { source: SourceStatus; runs: PollRun[] }) {
  const { sourceId, verdict, problems, lagMs, lastSuccessAt, next, sweeps, paused } = source;
  const from = Date.now() - CHART_MS;
  const shown = runs.filter(({ at }) => at >= from);
  const key = shown.at(-1)?.at;
  const lag = useMemo(() => lagSeries(shown), [key]);
  const rate = useMemo(() => rateSeries(shown), [key]);
  return (
    <Card title={sourceId} aside={<Badge tone={TONES[verdict]}>{verdict}</Badge>}>
      {problems.length === 0 ? (
        <p>Everything that the service has shown was read and published.</p>
      ) : (
        <ul class="problems">
          {problems.map((problem) => (
            <li key={problem}>
              <Foreign text={problem} />
            </li>
          ))}
        </ul>
      )}
      <dl class="facts">
        <dt>Everything is read up to</dt>
        <dd>{lastSuccessAt === null ? 'nothing yet' : <Time at={lastSuccessAt} />}</dd>
        <dt>Behind</dt>
        <dd>{lagMs === null ? 'not known yet' : spanText(lagMs)}</dd>
        <dt>Next</dt>
        <dd>{next}</dd>
        {sweeps.map((sweep) => (
          <>
            <dt>{sweep.isDeferred ? 'Reads besides' : 'Reads now'}</dt>
            <dd>
              {sweep.level}, {counted(sweep.windowsLeft, 'window')} left, {counted(sweep.runs, 'run')} so far
            </dd>
          </>
        ))}
      </dl>
      <div class="charts">
        <Chart
          title="Behind, in seconds:"
          newest={lag.values.at(-1)?.toFixed(1) ?? 'none yet'}
          series={lag}
          kind="line"
        />
        <Chart title="Events a minute:" newest={String(rate.values.at(-1) ?? 0)} series={rate} kind="bars" />
      </div>
      <Runs runs={runs.slice(-RUNS_SHOWN).toReversed()} />
      <div class="actions">
        {paused === null ? (
          <Change label="Pause polling" args={['pause', sourceId]} />
        ) : (
          <Change label="Resume polling" args={['resume', sourceId]} />
        )}
      </div>
    </Card>
  );
}

function Runs({ runs }: { runs: readonly PollRun[] }) {
  if (runs.length === 0) return <Nothing>No poll has ended yet.</Nothing>;
  return (
    <table>
      <caption>Last polls</caption>
      <thead>
        <tr>
          <th scope="col">Ended</th>
          <th scope="col">Requests</th>
          <th scope="col">Events</th>
          <th scope="col">Outcome</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <tr key={run.at}>
            <td>
              <Time at={run.at} />
            </td>
            <td>{run.requests}</td>
            <td>{run.eventsPublished}</td>
            <td>
              <Foreign text={run.failure ?? run.outcome} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Consumers({ status }: { status: LiveMessages['status'] }) {
  const { facts, deliveries } = useLive();
  const consumers = useMemo(() => {
    const failing = failingEvents(deliveries, status);
    const shown = facts === null ? [] : consumersOf(facts, status.consumers);
    return shown.map((consumer) => ({ name: consumer.name, ...healthOf(consumer, failing) }));
  }, [facts, status, deliveries]);
  const others = consumers.filter(({ tone }) => tone !== 'good');
  const verdict = others.length === 0 ? 'fine' : others.some(({ tone }) => tone === 'bad') ? 'not fine' : 'not known';
  return (
    <Card title="Consumers" aside={<Badge tone={TONES[verdict]}>{verdict}</Badge>}>
      {consumers.length === 0 ? (
        <Nothing>None is switched on. Start with npm start -- --consumers to see all of them.</Nothing>
      ) : (
        <p>
          {verdict === 'fine'
            ? `${counted(consumers.length, 'consumer')}; every event was delivered.`
            : others.map(({ name, text }) => `${name}: ${text}.`).join(' ')}
        </p>
      )}
    </Card>
  );
}

function Alarms({ alarms }: { alarms: readonly AlarmRow[] }) {
  return (
    <Card
      title="Alarms"
      aside={<Badge tone={alarms.length === 0 ? 'good' : 'bad'}>{counted(alarms.length, 'alarm')} on</Badge>}
    >
      {alarms.length === 0 ? (
        <p>None is on.</p>
      ) : (
        alarms.map(({ name, reason, at, description }) => (
          <article key={name}>
            <h3>{name}</h3>
            <p>
              Since <Time at={at} />. {reason}.
            </p>
            <p>{description}</p>
            <Guide document="operating" title={titleIn(description)} label="What it means, and what to do" />
          </article>
        ))
      )}
    </Card>
  );
}

function lagSeries(runs: readonly PollRun[]): Series {
  const known = runs.filter((run) => run.lagMs !== null);
  return { times: known.map(({ at }) => at), values: known.map(({ lagMs }) => (lagMs ?? 0) / 1_000) };
}

/** By minute, empty ones included. */
function rateSeries(runs: readonly PollRun[]): Series {
  const minutes = new Map<number, number>();
  for (const { at, eventsPublished } of runs) {
    const minute = Math.floor(at / 60_000) * 60_000;
    minutes.set(minute, (minutes.get(minute) ?? 0) + eventsPublished);
  }
  const [first, last] = [Math.min(...minutes.keys()), Math.max(...minutes.keys())];
  const times = Array.from(
    { length: minutes.size === 0 ? 0 : (last - first) / 60_000 + 1 },
    (_, n) => first + n * 60_000,
  );
  return { times, values: times.map((minute) => minutes.get(minute) ?? 0) };
}
