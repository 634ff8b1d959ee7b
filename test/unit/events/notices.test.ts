import { describe, expect, it } from 'vitest';
import { type Notice, toNotice } from '../../../functions/events/notices.ts';

const gap: Notice<'GapDetected'> = {
  type: 'GapDetected',
  sourceId: 'acme',
  requestId: 'request-1',
  observedAt: Date.parse('2026-11-02T08:00:00.250Z'),
  data: { from: null, to: '2026-10-01T00:00:00.000Z', reason: 'outage' },
  key: '2026-10-01T00:00:00.000Z',
};

describe('a notice', () => {
  it('is an event of the bridge with its metadata and data', () => {
    const notice = toNotice(gap);

    expect(notice).toMatchObject({ source: 'membership.bridge', detailType: 'GapDetected' });
    expect(notice.time.toISOString()).toBe('2026-11-02T08:00:00.250Z');
    expect(JSON.parse(notice.detail)).toEqual({
      metadata: {
        id: notice.id,
        version: '1',
        sourceId: 'acme',
        observedAt: '2026-11-02T08:00:00.250Z',
        requestId: 'request-1',
      },
      data: { from: null, to: '2026-10-01T00:00:00.000Z', reason: 'outage' },
    });
  });

  it('has the same id when a later run sends it again', () => {
    const again = toNotice({
      ...gap,
      requestId: 'request-2',
      observedAt: gap.observedAt + 60_000,
      data: { ...gap.data, from: '2026-09-01T00:00:00.000Z' },
    });

    expect(again.id).toBe(toNotice(gap).id);
  });

  it.each([{ type: 'LateEntriesFound' as const }, { sourceId: 'acme-2' }, { key: 'another span' }])(
    'has another id for another notice: %o',
    (difference) => {
      expect(toNotice({ ...gap, ...difference }).id).not.toBe(toNotice(gap).id);
    },
  );
});
