import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPollMetrics } from '../../../functions/poller/metrics.ts';
import type { BridgeEvent } from '../../../functions/events/event.ts';
import type { PollResult } from '../../../functions/poller/result.ts';
import { BridgeError } from '../../../functions/shared/errors.ts';
import type { EventBus, PublishOutcome, Quarantine } from '../../../functions/source/ports.ts';

const result: PollResult = {
  sourceId: 'acme',
  outcome: 'idle',
  requests: 1,
  entriesRead: 0,
  eventsPublished: 0,
  duplicatesSuppressed: 0,
  quarantined: 0,
  lagMs: 1_234,
};

/** The dimensions that the alarms use: of a source, and of all sources together. */
const source = { service: 'poller', sourceId: 'acme' };
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

async function measured(more: Partial<PollResult>) {
  await createPollMetrics('Membership').measure('acme', async () => ({ ...result, ...more }));
  return emitted();
}

const ofSource = (SuccessfulPoll: number) => ({
  namespace: 'Membership',
  dimensions: source,
  values: { SuccessfulPoll },
});

describe('the metrics of a run that resolves', () => {
  it.each(['idle', 'published', 'continuing'] as const)(
    'are one heartbeat where it is %s, because each metric is paid for',
    async (outcome) => {
      expect(await measured({ outcome })).toEqual([ofSource(1)]);
    },
  );

  it('are no heartbeat where it was skipped', async () => {
    expect(await measured({ outcome: 'skipped' })).toEqual([ofSource(0)]);
  });

  it('distinguish credentials that stay refused from other reasons to pause', async () => {
    const refused = await measured({ outcome: 'paused', reason: 'credentials-refused' });
    lines = [];
    const unset = await measured({ outcome: 'paused', reason: 'credentials-not-set' });

    expect(refused).toEqual([
      ofSource(0),
      { namespace: 'Membership', dimensions: all, values: { CredentialsRefused: 1 } },
    ]);
    expect(unset).toEqual([ofSource(0)]);
  });

  it.each(['idle', 'published', 'continuing'] as const)(
    'say of a run that is %s whether a sweep has been open for a day',
    async (outcome) => {
      expect(await measured({ outcome, overdue: ['reconcile'] })).toEqual([
        ofSource(1),
        { namespace: 'Membership', dimensions: all, values: { SweepOverdue: 1 } },
      ]);
    },
  );

  it.each(['skipped', 'paused'] as const)('do not say that of one that is %s: it reads nothing', async (outcome) => {
    expect(await measured({ outcome, overdue: ['reconcile'] })).toEqual([ofSource(0)]);
  });

  it('name the source in every line, so that the mail of an alarm can say how to find it', async () => {
    await measured({ overdue: ['recent'] });

    expect(lines.map(({ sourceId }) => sourceId)).toEqual(['acme', 'acme']);
  });

  it('have their units', async () => {
    await measured({ overdue: ['recent'] });

    const units = lines.map((line) => line._aws.CloudWatchMetrics[0]?.Metrics.map(({ Unit }) => Unit));
    expect(units).toEqual([['Count'], ['Count']]);
  });

  it('leave the result as it is', async () => {
    expect(await createPollMetrics('Membership').measure('acme', async () => result)).toBe(result);
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

  it('are no heartbeat for the source, and a failure of the environment with the code of the error', async () => {
    const error = new BridgeError('ServiceUnavailable', 'Wait.', { retryable: true });

    expect(await failed(error)).toEqual([ofSource(0), withCode('ServiceUnavailable')]);
    expect(lines[1]?.['sourceId']).toBe('acme');
  });

  it('include refused credentials', async () => {
    expect(await failed(new BridgeError('CredentialsRefused', 'Set them.', { retryable: false }))).toEqual([
      ofSource(0),
      withCode('CredentialsRefused'),
      { namespace: 'Membership', dimensions: all, values: { CredentialsRefused: 1 } },
    ]);
  });

  it('have the code Unexpected for an error that is not of the bridge', async () => {
    expect((await failed(new TypeError('x')))[1]).toEqual(withCode('Unexpected'));
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
