import { describe, expect, it } from 'vitest';
import type { BridgeEvent } from '../../../../functions/events/event.ts';
import { toNotice } from '../../../../functions/events/notices.ts';
import { createNotices } from '../../../../functions/poller/shell/notices.ts';
import type { PublishOutcome } from '../../../../functions/source/ports.ts';
import { fakeLog, NOW } from '../builders.ts';

const DEADLINE = NOW + 52_000;
const accepted: PublishOutcome = { status: 'accepted' };
const failed: PublishOutcome = { status: 'failed', code: 'InternalFailure', message: '' };
const refused: PublishOutcome = { status: 'refused', code: 'NotAuthorized', message: 'not allowed' };
const outage = { from: null, to: '2026-11-20T09:14:41.120Z', reason: 'outage' } as const;

/** The notices of a run; `gap` sends one with this key. */
function noticesOn(outcome: PublishOutcome, remembered: readonly string[] = []) {
  const published: { event: BridgeEvent | undefined; deadlineAt: number }[] = [];
  const log = fakeLog();
  const publish = async ([event]: readonly BridgeEvent[], { deadlineAt }: { deadlineAt: number }) => {
    await Promise.resolve();
    published.push({ event, deadlineAt });
    return [outcome];
  };
  const notices = createNotices({
    bus: { maxEntryBytes: 1_000_000, sizeOf: () => 0, publish },
    log,
    sourceId: 'acme',
    requestId: 'request',
    now: () => NOW,
    deadlineAt: () => DEADLINE,
    remembered,
  });
  const gap = async (key: string): Promise<void> => await notices.send('GapDetected', key, outage);
  return { notices, gap, published, log };
}

describe('a notice', () => {
  it('is published with the source, the request and the time of the run, within its deadline', async () => {
    const { gap, published } = noticesOn(accepted);

    await gap('key');

    const notice = { sourceId: 'acme', requestId: 'request', observedAt: NOW, data: outage, key: 'key' };
    expect(published).toEqual([{ event: toNotice({ type: 'GapDetected', ...notice }), deadlineAt: DEADLINE }]);
  });

  it('is sent once for a type and a key', async () => {
    const { notices, gap, published } = noticesOn(accepted);

    await gap('key');
    await gap('key');
    await gap('another');
    await notices.send('CredentialsRefused', 'key', { reason: 'refused', remedy: '' });

    expect(published).toHaveLength(3);
  });

  it('is not sent again by a later run', async () => {
    const first = noticesOn(accepted);
    await first.gap('key');

    const second = noticesOn(accepted, first.notices.remembered());
    await second.gap('key');

    expect(second.published).toEqual([]);
  });

  it('fails where the bus does not accept it, and is sent again after that', async () => {
    const { notices, gap, published } = noticesOn(failed);

    await expect(gap('key')).rejects.toMatchObject({ code: 'PublishFailed', retryable: true });
    await expect(gap('key')).rejects.toMatchObject({ details: { notice: 'GapDetected' } });

    expect(published).toHaveLength(2);
    expect(notices.remembered()).toEqual([]);
  });

  it('that the bus refuses for good is logged, and does not hold up the entries run after run', async () => {
    const { notices, gap, log } = noticesOn(refused);

    await gap('key');

    expect(log.lines).toEqual([
      expect.objectContaining({ level: 'error', fields: { notice: 'GapDetected', code: 'NotAuthorized' } }),
    ]);
    expect(notices.remembered()).toHaveLength(1);
  });

  it('of which every run may send another is not remembered', async () => {
    const { notices, published } = noticesOn(accepted, ['earlier']);

    await notices.send('LateEntriesFound', 'key', { count: 1 });
    await notices.send('EntryQuarantined', 'key', { eventId: 'id', reason: 'Oversize' });

    expect(published).toHaveLength(2);
    expect(notices.remembered()).toEqual(['earlier']);
  });
});

describe('what is remembered of notices', () => {
  it('is a short digest that shows nothing of the key (I5), added to a copy of what was remembered', async () => {
    const before = ['earlier'];
    const { notices, gap } = noticesOn(accepted, before);

    await gap('secret version');

    expect(notices.remembered()).toEqual(['earlier', expect.stringMatching(/^[0-9a-f]{12}$/)]);
    expect(before).toEqual(['earlier']);
  });

  it('is never more than the last fifty (I6)', async () => {
    const { notices, gap, published } = noticesOn(accepted);

    for (let index = 0; index < 60; index += 1) await gap(String(index));
    await gap('59');
    await gap('10');

    expect(notices.remembered()).toHaveLength(50);
    expect(published).toHaveLength(60);
  });
});
