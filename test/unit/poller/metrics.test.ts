import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPollMetrics } from '../../../functions/poller/metrics.ts';
import type { PollResult } from '../../../functions/poller/result.ts';
import { BridgeError } from '../../../functions/shared/errors.ts';

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

/** The dimensions that the alarms use. */
const source = { service: 'poller', sourceId: 'acme' };

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

describe('the metrics of a run that resolves', () => {
  it.each(['idle', 'published', 'continuing'] as const)(
    'are a heartbeat and the lag where it is %s (S27)',
    async (outcome) => {
      expect(await measured({ outcome })).toEqual([
        {
          namespace: 'Membership',
          dimensions: source,
          values: { SuccessfulPoll: 1, CredentialsRefused: 0, Lag: 1_234 },
        },
      ]);
    },
  );

  it('are no heartbeat where it was skipped, which says nothing about the credentials', async () => {
    expect((await measured({ outcome: 'skipped' }))[0]?.values).toEqual({ SuccessfulPoll: 0 });
  });

  it('distinguish credentials that stay refused (S34) from other reasons to pause', async () => {
    const refused = await measured({ outcome: 'paused', reason: 'credentials-refused' });
    const unset = await measured({ outcome: 'paused', reason: 'credentials-not-set' });

    expect(refused[0]?.values).toEqual({ SuccessfulPoll: 0, CredentialsRefused: 1 });
    expect(unset[1]?.values).toEqual({ SuccessfulPoll: 0, CredentialsRefused: 0 });
  });

  it('count the quarantined entries where there are any (S41)', async () => {
    expect((await measured({ quarantined: 2 }))[0]?.values).toMatchObject({ Quarantined: 2 });
  });

  it('have their units', async () => {
    await measured({ quarantined: 2 });

    const units = lines[0]?._aws.CloudWatchMetrics[0]?.Metrics.map(({ Name, Unit }) => `${Name} ${Unit}`);
    expect(units).toEqual([
      'SuccessfulPoll Count',
      'CredentialsRefused Count',
      'Quarantined Count',
      'Lag Milliseconds',
    ]);
  });

  it('leave the result as it is', async () => {
    expect(await createPollMetrics('Membership').measure('acme', async () => result)).toBe(result);
  });
});

describe('the metrics of a run that rejects (S58)', () => {
  async function failed(error: Error) {
    const run = createPollMetrics('Membership').measure('acme', async () => {
      throw error;
    });
    await expect(run).rejects.toBe(error);
    return emitted();
  }

  it('are a failure for the source and one with the code of the error', async () => {
    const error = new BridgeError('ServiceUnavailable', 'Wait.', { retryable: true });

    expect(await failed(error)).toEqual([
      { namespace: 'Membership', dimensions: source, values: { SuccessfulPoll: 0, FailedPoll: 1 } },
      {
        namespace: 'Membership',
        dimensions: { ...source, code: 'ServiceUnavailable' },
        values: { FailedPoll: 1 },
      },
    ]);
  });

  it('include refused credentials (S34)', async () => {
    const [ofSource] = await failed(new BridgeError('CredentialsRefused', 'Set them.', { retryable: false }));

    expect(ofSource?.values).toEqual({ SuccessfulPoll: 0, FailedPoll: 1, CredentialsRefused: 1 });
  });

  it('have the code Unexpected for an error that is not of the bridge', async () => {
    const [, withCode] = await failed(new TypeError('x'));

    expect(withCode?.dimensions).toEqual({ ...source, code: 'Unexpected' });
  });
});
