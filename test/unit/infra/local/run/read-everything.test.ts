import { describe, expect, test } from 'vitest';
import type { LocalInvocation } from '../../../../../infra/local/lambda/service.ts';
import { readEverything } from '../../../../../infra/local/run/read-everything.ts';

/** A cloud whose runs have these answers, one after the other, and the requests it got. */
function cloudThat(...outcomes: Omit<LocalInvocation, 'durationMs'>[]) {
  const asked: unknown[] = [];
  const invoke = async (_sourceId: string, override?: object): Promise<LocalInvocation> => {
    asked.push(override);
    return { ...(outcomes.shift() ?? { result: { outcome: 'skipped', reason: 'lease-held' } }), durationMs: 0 };
  };
  return { invoke, asked };
}

const reconcile = (outcome: string, complete: boolean) => ({
  result: { outcome, sweep: { level: 'reconcile', complete } },
});

describe('reading everything', () => {
  test('polls until a reconcile sweep and everything next to it are complete', async () => {
    const cloud = cloudThat(
      reconcile('continuing', false),
      { result: { outcome: 'continuing' } },
      reconcile('idle', true),
      reconcile('idle', true),
    );

    await readEverything(cloud, 'acme');

    expect(cloud.asked).toHaveLength(3);
  });

  test('does not accept a smaller sweep', async () => {
    const cloud = cloudThat(
      { result: { outcome: 'idle', sweep: { level: 'recent', complete: true } } },
      reconcile('published', true),
    );

    await readEverything(cloud, 'acme');

    expect(cloud.asked).toHaveLength(2);
  });

  test('keeps other overrides of the settings', async () => {
    const cloud = cloudThat(reconcile('idle', true));

    await readEverything(cloud, 'acme', { override: { pageSize: 3, advanced: { lookback: { recent: 'PT1M' } } } });

    expect(cloud.asked).toEqual([
      { pageSize: 3, advanced: { lookback: { recent: 'PT1M' }, every: { settle: 'PT0.001S', reconcile: 'PT0.001S' } } },
    ]);
  });

  test('says why it did not complete', async () => {
    const cloud = cloudThat({
      error: { errorType: 'BridgeError', errorMessage: 'no answer', code: 'ServiceUnavailable' },
    });

    await expect(readEverything(cloud, 'acme', { limitMs: 1 })).rejects.toThrow(/ServiceUnavailable: no answer/);
  });
});
