import { describe, expect, test } from 'vitest';
import { readEmbeddedMetrics } from '../../../../../infra/local/cloudwatch/embedded-metrics.ts';
import { aMetricLine } from './an-alarm.ts';

const lineWith = (directive: object, members: object): string =>
  JSON.stringify({ _aws: { Timestamp: 7, CloudWatchMetrics: [directive] }, ...members });

describe('a line in the embedded metric format', () => {
  test('has each metric once per set of dimensions', () => {
    const directive = {
      Namespace: 'Bridge',
      Dimensions: [['service', 'sourceId'], ['service'], []],
      Metrics: [{ Name: 'Polls', Unit: 'Count', StorageResolution: 1 }, { Name: 'Lag' }],
    };

    const data = readEmbeddedMetrics(lineWith(directive, { service: 'poller', sourceId: 'acme', Polls: 1, Lag: 2.5 }));

    const both = { service: 'poller', sourceId: 'acme' };
    expect(data).toEqual(
      [
        { name: 'Polls', values: [1] },
        { name: 'Lag', values: [2.5] },
      ].flatMap((metric) =>
        [both, { service: 'poller' }, {}].map((dimensions) => ({ namespace: 'Bridge', at: 7, dimensions, ...metric })),
      ),
    );
  });

  test('may have several values of a metric, and several namespaces', () => {
    const one = { Namespace: 'A', Dimensions: [[]], Metrics: [{ Name: 'Polls' }] };
    const other = { ...one, Namespace: 'B' };

    const data = readEmbeddedMetrics(
      JSON.stringify({ _aws: { Timestamp: 7, CloudWatchMetrics: [one, other] }, Polls: [1, 0, 1] }),
    );

    expect(data).toMatchObject([
      { namespace: 'A', values: [1, 0, 1] },
      { namespace: 'B', values: [1, 0, 1] },
    ]);
  });

  test.each([
    ['no JSON', 'START RequestId: "_aws"'],
    ['any other JSON', JSON.stringify({ level: 'INFO', message: 'Polled.' })],
    ['JSON that is no object', '"_aws"'],
    ['no time', JSON.stringify({ _aws: { CloudWatchMetrics: [] } })],
    ['no list of metrics', JSON.stringify({ _aws: { Timestamp: 7, CloudWatchMetrics: 'none' } })],
    ['a list with a hole', JSON.stringify({ _aws: { Timestamp: 7, CloudWatchMetrics: [null] } })],
    ['a metric that is null', lineWith({ Namespace: 'A', Dimensions: [[]], Metrics: [null] }, {})],
    ['a metric that is not there', lineWith({ Namespace: 'A', Dimensions: [[]], Metrics: [{ Name: 'Polls' }] }, {})],
    ['a value that is no number', aMetricLine({ Polls: '1' }, 7)],
    ['a list with a value that is none', aMetricLine({ Polls: [1, null] }, 7)],
    ['a dimension that is not there', aMetricLine({ Polls: 1 }, 7, { sourceId: undefined })],
    ['a dimension that is no text', aMetricLine({ Polls: 1 }, 7, { sourceId: 3 })],
  ])('is not a metric with %s', (_what, line) => {
    expect(readEmbeddedMetrics(line)).toEqual([]);
  });
});
