// How a run begins and how a failed one ends: what it asks of the lease, what it still writes and tells.
import { describe, expect, it } from 'vitest';
import type { BridgeEvent } from '../../../functions/events/event.ts';
import { poll } from '../../../functions/poller/poll.ts';
import type { Invocation } from '../../../functions/poller/run.ts';
import type { SourceState } from '../../../functions/source/state.ts';
import { BridgeError, type ErrorCode } from '../../../functions/shared/errors.ts';
import { DAY, factsOf, fakeClock, fakeLog, HOUR, MINUTE, NOW, settingsOf, stateOf } from './builders.ts';

it('a run asks for a lease that outlives its time by two seconds, and ends quietly where another holds it (S48)', async () => {
  const asked: unknown[] = [];
  const store = {
    acquire: async (request: unknown) => {
      asked.push(request);
      return null;
    },
  };
  const invocation = {
    settings: settingsOf(),
    clock: fakeClock(),
    log: fakeLog(),
    remainingMs: 55_000,
    owner: 'me',
    store,
  };

  const result = await poll(invocation as unknown as Invocation);

  expect(asked).toEqual([{ sourceId: 'acme', owner: 'me', now: NOW, leaseUntil: NOW + 57_000 }]);
  expect(result).toMatchObject({ sourceId: 'acme', outcome: 'skipped', requests: 0 });
});

/** A run that publishes an entry of two hours ago, and then fails at its second page. */
async function failedRun(code: ErrorCode, { busTakesNotices = true, details = {} } = {}) {
  const failure = new BridgeError(code, 'No.', { retryable: true, details });
  const events: BridgeEvent[] = [];
  const written: SourceState[] = [];
  const late = { id: '1', at: new Date(NOW - 2 * HOUR).toISOString() };
  let pages = 0;
  const readPage = async () => {
    pages += 1;
    if (pages > 1) throw failure;
    return { entries: [late], body: { requestContinuation: 'next' }, headers: {}, serverTime: null };
  };
  const learned = factsOf({ idField: '/id', timeField: '/at', stampForm: 'utc', fractionDigits: 3 });
  const lows = { recent: NOW - MINUTE, settle: NOW - MINUTE, reconcile: NOW - DAY };
  const invocation = {
    settings: settingsOf(),
    clock: fakeClock(),
    log: fakeLog(),
    remainingMs: 55_000,
    owner: 'me',
    requestId: 'request',
    session: { actionLog: { readPage }, login: async () => {}, secretVersion: () => 'v1', attach: () => {} },
    store: {
      acquire: async () => ({
        lease: { sourceId: 'acme', owner: 'me', epoch: 1 },
        state: stateOf({ lows, learned, firstRunAt: NOW - 2 * DAY }),
      }),
      save: async () => {},
      complete: async (_lease: unknown, state: SourceState) => void written.push(state),
      readPast: async () => null,
      writePast: async () => {},
    },
    ledger: { read: async () => [], append: async () => {} },
    bus: {
      maxEntryBytes: 1_000_000,
      sizeOf: () => 1,
      publish: async (batch: readonly BridgeEvent[]) => {
        events.push(...batch);
        const isNotice = batch[0]?.source === 'membership.bridge';
        return batch.map(() => (isNotice && !busTakesNotices ? { status: 'failed' } : { status: 'accepted' }));
      },
    },
  };
  const ended = await poll(invocation as unknown as Invocation).catch((error: unknown) => error);
  return { ended, failure, written, told: events.map(({ detailType }) => detailType) };
}

describe('a run that fails', () => {
  it('writes down what it reached, tells of the late entries that it published, and rejects with its failure (S03, S58)', async () => {
    const { ended, failure, written, told } = await failedRun('ServiceUnavailable');

    expect(ended).toBe(failure);
    expect(told).toEqual([expect.any(String), 'LateEntriesFound']);
    expect(written).toHaveLength(1);
    expect(written[0]).toMatchObject({ failures: 1, lows: { recent: NOW - MINUTE, reconcile: NOW - DAY } });
  });

  it('rejects with its own failure where the bus does not take the notice', async () => {
    const { ended, failure, written } = await failedRun('ServiceUnavailable', { busTakesNotices: false });

    expect([ended, written.length]).toEqual([failure, 1]);
  });

  it('writes and tells nothing more where its lease is lost: another run is at work (S49)', async () => {
    const { ended, failure, written, told } = await failedRun('LeaseLost');

    expect(ended).toBe(failure);
    expect([written.length, told.length]).toEqual([0, 1]);
  });

  it('tells of refused credentials (S34)', async () => {
    const { ended, failure, told } = await failedRun('CredentialsRefused', { details: { attempted: true } });

    expect(ended).toBe(failure);
    expect(told.at(-1)).toBe('CredentialsRefused');
  });

  it.each<[ErrorCode, Record<string, unknown>, string]>([
    ['CredentialsNotSet', {}, 'credentials-not-set'],
    ['CredentialsRefused', { attempted: false }, 'credentials-refused'],
  ])('for want of credentials is a pause, written down, and no failure: %s', async (code, details, reason) => {
    const { ended, written, told } = await failedRun(code, { details });

    expect(ended).toMatchObject({ outcome: 'paused', reason });
    expect(written[0]?.failures).toBe(0);
    expect(told).not.toContain('CredentialsRefused');
  });
});
