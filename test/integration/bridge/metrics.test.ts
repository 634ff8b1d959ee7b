import { expect, it } from 'vitest';
import { startWorld, type World } from '../../support/world.ts';

type MetricLine = Record<string, unknown> & {
  _aws: { CloudWatchMetrics: { Namespace: string; Dimensions: string[][]; Metrics: { Name: string }[] }[] };
};

/** The metric lines written since the last look, as CloudWatch would read them. */
function metricLines(world: World, from = 0): MetricLine[] {
  return world.log
    .slice(from)
    .filter((line) => line.includes('"_aws"'))
    .map((line) => JSON.parse(line) as MetricLine);
}

const namesIn = ({ _aws }: MetricLine): string[] =>
  _aws.CloudWatchMetrics.flatMap(({ Metrics }) => Metrics.map(({ Name }) => Name));

it('emits one metric line per run, for its source', async () => {
  const world = await startWorld({ history: { entries: 0, days: 1 } });

  await world.tick();

  const [line, ...others] = metricLines(world);
  expect(others).toEqual([]);
  expect(line).toMatchObject({ service: 'poller', sourceId: 'acme', SuccessfulPoll: 1 });
  expect(line?._aws.CloudWatchMetrics[0]).toMatchObject({
    Namespace: 'MembershipBridge',
    Dimensions: [['service', 'sourceId']],
  });
  expect(namesIn(line as MetricLine)).toEqual(['SuccessfulPoll']);
});

it('reports refused credentials with every run, until a new version logs in (S34)', async () => {
  const world = await startWorld({ credentials: false });
  world.putCredentials('wrong');

  await expect(world.tick()).rejects.toMatchObject({ code: 'CredentialsRefused' });
  const failed = metricLines(world);
  const fromPaused = world.log.length;
  await world.tick();
  const paused = metricLines(world, fromPaused);
  world.putCredentials();
  const fromGood = world.log.length;
  await world.tick();
  const good = metricLines(world, fromGood);

  expect(failed).toMatchObject([
    { SuccessfulPoll: 0 },
    { FailedPoll: 1, code: 'CredentialsRefused', sourceId: 'acme' },
    { CredentialsRefused: 1, sourceId: 'acme' },
  ]);
  expect(paused).toMatchObject([{ SuccessfulPoll: 0 }, { CredentialsRefused: 1, sourceId: 'acme' }]);
  expect(good.map(namesIn)).toEqual([['SuccessfulPoll']]);
});

it('reports nothing about credentials where a run did not learn it (S58)', async () => {
  const world = await startWorld();
  world.service.faults.errorRate = 1;

  await expect(world.tick()).rejects.toMatchObject({ code: 'ServiceUnavailable' });

  const lines = metricLines(world);
  expect(lines).toMatchObject([{ SuccessfulPoll: 0 }, { FailedPoll: 1, code: 'ServiceUnavailable' }]);
  expect(lines.flatMap(namesIn)).not.toContain('CredentialsRefused');
});
