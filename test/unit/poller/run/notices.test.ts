import { describe, expect, it } from 'vitest';
import type { BridgeEvent } from '../../../../functions/events/event.ts';
import { toNotice } from '../../../../functions/events/notices.ts';
import { createNotices } from '../../../../functions/poller/run/notices.ts';
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
  const clock = { now: NOW };
  const log = fakeLog();
  const told: BridgeEvent[] = [];
  const publish = async (events: readonly BridgeEvent[], { deadlineAt }: { deadlineAt: number }) => {
    await Promise.resolve();
    for (const event of events)
      if (event.detailType === 'SourceNeedsAttention') told.push(event);
      else published.push({ event, deadlineAt });
    return events.map(() => outcome);
  };
  const notices = createNotices({
    bus: { maxEntryBytes: 1_000_000, sizeOf: () => 0, publish },
    log,
    sourceId: 'acme',
    requestId: 'request',
    now: () => clock.now,
    deadlineAt: () => DEADLINE,
    remembered,
  });
  const gap = async (key: string): Promise<void> => await notices.send('GapDetected', key, outage);
  return { notices, gap, published, told, log, clock };
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

    const refusedOf = (notice: string) =>
      expect.objectContaining({ level: 'error', fields: { notice, code: 'NotAuthorized' } }) as unknown;
    expect(log.lines).toEqual([refusedOf('GapDetected'), refusedOf('SourceNeedsAttention')]);
    expect(notices.remembered()).toHaveLength(2);
  });

  it('of which every run may send another is not remembered', async () => {
    const { notices, published } = noticesOn(accepted, ['earlier']);

    await notices.send('LateEntriesFound', 'key', { count: 1 });
    await notices.send('LateEntriesFound', 'key', { count: 1 });

    expect(published).toHaveLength(2);
    expect(notices.remembered()).toEqual(['earlier']);
  });
});

describe('what is remembered of notices', () => {
  it('is a short digest that shows nothing of the key (I5), added to a copy of what was remembered', async () => {
    const before = ['earlier'];
    const { notices, gap } = noticesOn(accepted, before);

    await gap('secret version');

    expect(notices.remembered()).toEqual([
      'earlier',
      expect.stringMatching(/^[0-9a-f]{12}$/),
      expect.stringMatching(/^[0-9a-f]{12}$/),
    ]);
    expect(before).toEqual(['earlier']);
  });

  it('is never more than the last fifty (I6)', async () => {
    const { notices, gap, published } = noticesOn(accepted);

    for (let index = 0; index < 60; index += 1) await gap(String(index));
    await gap('59');
    await gap('11');

    expect(notices.remembered()).toHaveLength(50);
    expect(published).toHaveLength(60);
  });
});

describe('what people hear of a source', () => {
  const dataOf = ({ detail }: BridgeEvent): unknown => (JSON.parse(detail) as { data: unknown }).data;

  it('is each trouble once, with its notice, however many notices of it follow that day', async () => {
    const { notices, gap, told, published, clock } = noticesOn(accepted);

    for (let index = 0; index < 200; index += 1) {
      await gap(String(index));
      await notices.send('EntryQuarantined', String(index), { eventId: 'id', reason: 'Oversize' });
    }

    const message = expect.stringMatching(/^\S.*\.$/) as unknown;
    expect(published).toHaveLength(400);
    expect(told.map(dataOf)).toEqual([
      { trouble: 'gapDetected', message },
      { trouble: 'entriesQuarantined', message },
    ]);
    clock.now += 86_400_000;
    await gap('of the next day');
    expect(told).toHaveLength(3);
  });

  it('is each version of the secret that is refused, and no late entries', async () => {
    const { notices, told } = noticesOn(accepted);

    for (const version of ['v1', 'v1', 'v2'])
      await notices.send('CredentialsRefused', version, { reason: 'refused', remedy: '' });
    await notices.send('LateEntriesFound', 'key', { count: 1 });

    expect(told).toHaveLength(2);
  });

  it('is sent again with its notice where the bus did not accept it', async () => {
    const { gap, told } = noticesOn(failed);

    for (let tries = 0; tries < 2; tries += 1) await expect(gap('key')).rejects.toThrow('did not accept');

    expect(told).toHaveLength(2);
    expect(told[0]?.id).toBe(told[1]?.id);
  });
});
