import { describe, expect, it } from 'vitest';
import type { BridgeEvent, NoticeType } from '../../../functions/events/event.ts';
import { toNotice } from '../../../functions/events/notices.ts';
import { createNotices } from '../../../functions/poller/notices.ts';
import type { PublishOutcome } from '../../../functions/source/ports.ts';
import { fakeLog, NOW } from './builders.ts';

/** What a notice says does not matter here. */
type AnyNotices = { give(type: NoticeType, key: string, data: object): Promise<void>; remembered(): string[] };

const DEADLINE = NOW + 52_000;

function noticesOn(outcome: PublishOutcome, remembered: readonly string[] = []) {
  const published: { event: BridgeEvent; deadlineAt: number }[] = [];
  const log = fakeLog();
  const bus = {
    maxEntryBytes: 1_000_000,
    sizeOf: () => 0,
    publish: async (events: readonly BridgeEvent[], { deadlineAt }: { deadlineAt: number }) => {
      await Promise.resolve();
      published.push(...events.map((event) => ({ event, deadlineAt })));
      return events.map(() => outcome);
    },
  };
  const notices: AnyNotices = createNotices({
    bus,
    log,
    sourceId: 'acme',
    requestId: 'request',
    now: () => NOW,
    deadlineAt: () => DEADLINE,
    remembered,
  });
  return { notices, published, log };
}

const accepted: PublishOutcome = { status: 'accepted' };
const failed: PublishOutcome = { status: 'failed', code: 'InternalFailure', message: '' };
const refused: PublishOutcome = { status: 'refused', code: 'NotAuthorized', message: 'not allowed' };

describe('a notice', () => {
  it('is published with the source, the request and the time of the run, within its deadline', async () => {
    const { notices, published } = noticesOn(accepted);

    const data = { from: null, to: '2026-11-20T09:14:41.120Z', reason: 'outage' } as const;
    await notices.give('GapDetected', 'key', data);

    const notice = { sourceId: 'acme', requestId: 'request', observedAt: NOW, data, key: 'key' };
    expect(published).toEqual([{ event: toNotice({ type: 'GapDetected', ...notice }), deadlineAt: DEADLINE }]);
  });

  it('is given once for a type and a key', async () => {
    const { notices, published } = noticesOn(accepted);

    await notices.give('GapDetected', 'key', { a: 1 });
    await notices.give('GapDetected', 'key', { a: 2 });
    await notices.give('GapDetected', 'another', {});
    await notices.give('LateEntriesFound', 'key', {});

    expect(published).toHaveLength(3);
  });

  it('is not given again by a run after the one that gave it', async () => {
    const first = noticesOn(accepted);
    await first.notices.give('GapDetected', 'key', {});

    const second = noticesOn(accepted, first.notices.remembered());
    await second.notices.give('GapDetected', 'key', {});

    expect(second.published).toEqual([]);
  });

  it('fails where the bus does not take it, and is given again after that', async () => {
    const { notices, published } = noticesOn(failed);

    const give = () => notices.give('GapDetected', 'key', {});

    await expect(give()).rejects.toMatchObject({ code: 'PublishFailed', retryable: true });
    await expect(give()).rejects.toMatchObject({ details: { notice: 'GapDetected' } });
    expect(published).toHaveLength(2);
    expect(notices.remembered()).toEqual([]);
  });

  it('that the bus refuses for good is logged, and does not hold up the entries run after run', async () => {
    const { notices, log } = noticesOn(refused);

    await notices.give('SourceResponseChanged', 'key', { kind: 'idField' });

    expect(log.lines).toEqual([
      expect.objectContaining({ level: 'error', fields: { notice: 'SourceResponseChanged', code: 'NotAuthorized' } }),
    ]);
    expect(notices.remembered()).toHaveLength(1);
  });
});

describe('what is remembered of notices', () => {
  it('is a short mark that shows nothing of the key (I5)', async () => {
    const { notices } = noticesOn(accepted);

    await notices.give('CredentialsRefused', 'secret version', {});

    expect(notices.remembered()).toEqual([expect.stringMatching(/^[0-9a-f]{12}$/)]);
  });

  it('is never more than the last fifty (I6)', async () => {
    const { notices, published } = noticesOn(accepted);

    for (let index = 0; index < 60; index += 1) await notices.give('GapDetected', String(index), {});
    await notices.give('GapDetected', '59', {});
    await notices.give('GapDetected', '10', {});

    expect(notices.remembered()).toHaveLength(50);
    expect(published).toHaveLength(60);
  });

  it('leaves the list it is given alone', async () => {
    const given = ['x'];
    const { notices } = noticesOn(accepted, given);

    await notices.give('GapDetected', 'key', {});

    expect(given).toEqual(['x']);
    expect(notices.remembered()).toHaveLength(2);
  });
});

describe('a notice that every run may give anew', () => {
  it.each(['LateEntriesFound', 'EntryQuarantined'] as const)('is not remembered: %s', async (type) => {
    const { notices, published } = noticesOn(accepted, ['earlier']);

    await notices.give(type, 'key', {});

    expect(published).toHaveLength(1);
    expect(notices.remembered()).toEqual(['earlier']);
  });
});
