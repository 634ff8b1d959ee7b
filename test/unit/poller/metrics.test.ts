import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPollMetrics } from '../../../functions/poller/metrics.ts';
import type { BridgeEvent } from '../../../functions/events/event.ts';
import type { PollResult } from '../../../functions/poller/result.ts';
import { BridgeError } from '../../../functions/shared/errors.ts';
import type { EventBus, PublishOutcome, Quarantine } from '../../../functions/source/ports.ts';

/** The dimensions that the alarms use: all sources together. */
const all = { service: 'poller' };

type Line = {
  _aws: {
    CloudWatchMetrics: { Namespace: string; Dimensions: string[][]; Metrics: { Name: string; Unit: string }[] }[];
  };
};

let lines: (Line & Record<string, unknown>)[] = [];

// In the embedded format a metric is a line on the standard output.
beforeEach(() => {
  lines = [];
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'false');
  vi.spyOn(console, 'log').mockImplementation((line: string) => {
    lines.push(JSON.parse(line) as Line & Record<string, unknown>);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** What was emitted: dimensions, and values by the names of the metrics. */
function emitted() {
  return lines.map((line) => {
    const [directive] = line._aws.CloudWatchMetrics;
    const names = directive?.Metrics.map(({ Name }) => Name) ?? [];
    const dimensions = directive?.Dimensions.flat() ?? [];
    return {
      namespace: directive?.Namespace,
      dimensions: Object.fromEntries(dimensions.map((name) => [name, line[name]])),
      values: Object.fromEntries(names.map((name) => [name, line[name]])),
    };
  });
}

describe('the metrics of a run that resolves', () => {
  const overdue: PollResult['overdue'] = ['reconcile'];
  it.each<Pick<PollResult, 'outcome' | 'reason' | 'overdue'>>([
    { outcome: 'published' },
    { outcome: 'idle', overdue },
    { outcome: 'paused', reason: 'credentials-refused' },
    { outcome: 'skipped', overdue },
  ])('are none, because each is paid for by the source: %o', async (more) => {
    const result = { sourceId: 'acme', ...more } as PollResult;

    expect(await createPollMetrics('Membership').measure('acme', async () => result)).toBe(result);

    expect(lines).toEqual([]);
  });
});

describe('the metrics of a run that rejects', () => {
  async function failed(error: Error) {
    const run = createPollMetrics('Membership').measure('acme', async () => {
      throw error;
    });
    await expect(run).rejects.toBe(error);
    return emitted();
  }
  const withCode = (code: string) => ({
    namespace: 'Membership',
    dimensions: { ...all, code },
    values: { FailedPoll: 1 },
  });

  it('are a failure of the environment with the code of the error, and its source in the line', async () => {
    const error = new BridgeError('CredentialsRefused', 'Set them.', { retryable: false });

    expect(await failed(error)).toEqual([withCode('CredentialsRefused')]);
    expect(lines[0]).toMatchObject({ sourceId: 'acme' });
    expect(lines[0]?._aws.CloudWatchMetrics[0]?.Metrics).toEqual([{ Name: 'FailedPoll', Unit: 'Count' }]);
  });

  it('have the code Unexpected for an error that is not of the bridge', async () => {
    expect(await failed(new TypeError('x'))).toEqual([withCode('Unexpected')]);
  });
});

describe('the metrics of a gap', () => {
  const event = { id: 'a', source: 'membership.bridge', time: new Date(0), detail: '{}' } as const;
  const gap: BridgeEvent = { ...event, detailType: 'GapDetected' };
  const late: BridgeEvent = { ...event, detailType: 'LateEntriesFound' };
  const bus = (outcomes: readonly PublishOutcome[]): EventBus => ({
    maxEntryBytes: 1,
    sizeOf: () => 1,
    publish: async () => await Promise.resolve([...outcomes]),
  });
  const failed = { status: 'failed', code: 'InternalFailure', message: '' } as const;
  const refused = { status: 'refused', code: 'MalformedDetail', message: '' } as const;

  it.each<[what: string, outcome: PublishOutcome, gaps: number[]]>([
    ['accepted', { status: 'accepted' }, [1]],
    ['refused for good', refused, [1]],
    ['not accepted, and sent again by the next run', failed, []],
  ])('count a notice that is %s', async (_what, outcome, gaps) => {
    const counting = createPollMetrics('Membership').countGaps('acme', bus([{ status: 'accepted' }, outcome]));

    expect(await counting.publish([late, gap], { deadlineAt: 0 })).toEqual([{ status: 'accepted' }, outcome]);

    expect(emitted()).toEqual(
      gaps.map((GapDetected) => ({ namespace: 'Membership', dimensions: all, values: { GapDetected } })),
    );
    expect(lines.map(({ sourceId }) => sourceId)).toEqual(gaps.map(() => 'acme'));
  });

  it('are written for no other event', async () => {
    await createPollMetrics('Membership')
      .countGaps('acme', bus([{ status: 'accepted' }]))
      .publish([late], { deadlineAt: 0 });

    expect(lines).toEqual([]);
  });
});

describe('the metrics of quarantine', () => {
  const entry = {
    eventId: 'a',
    sourceId: 'acme',
    reason: '',
    message: '',
    entry: '{}',
    metadata: '{}',
    quarantinedAt: 0,
  };

  it('count the quarantined entries of all sources where there are any', async () => {
    const keep = vi.fn<Quarantine['keep']>().mockResolvedValue();

    await createPollMetrics('Membership').countQuarantined('acme', { keep }).keep(entry);

    expect(keep).toHaveBeenCalledExactlyOnceWith(entry);
    expect(emitted()).toEqual([{ namespace: 'Membership', dimensions: all, values: { Quarantined: 1 } }]);
    expect(lines[0]?.['sourceId']).toBe('acme');
  });

  it('do not count an entry that could not be kept', async () => {
    const error = new BridgeError('QuarantineFailed', 'Wait.', { retryable: true });
    const counting = createPollMetrics('Membership').countQuarantined<Quarantine>('acme', {
      keep: async () => await Promise.reject(error),
    });

    await expect(counting.keep(entry)).rejects.toBe(error);
    expect(lines).toEqual([]);
  });

  it('counts late ticks for all sources together, each in a line that names its source', () => {
    createPollMetrics('Membership').countLateTick('acme');

    expect(emitted()).toEqual([{ namespace: 'Membership', dimensions: all, values: { LateTicks: 1 } }]);
    expect(lines[0]).toMatchObject({ sourceId: 'acme' });
  });
});
