import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../functions/shared/json.ts';
import { type Notice, toNotice } from '../../../functions/events/notices.ts';

const gap: Notice = {
  type: 'GapDetected',
  sourceId: 'acme',
  requestId: 'request-1',
  observedAt: Date.parse('2026-11-02T08:00:00.250Z'),
  data: { from: '2026-10-01T00:00:00.000Z', to: null },
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
      data: { from: '2026-10-01T00:00:00.000Z', to: null },
    });
  });

  it('has the same id when it is given again by a later run', () => {
    const again = toNotice({ ...gap, requestId: 'request-2', observedAt: gap.observedAt + 60_000, data: {} });

    expect(again.id).toBe(toNotice(gap).id);
  });

  it.each([{ type: 'LateEntriesFound' as const }, { sourceId: 'acme-2' }, { key: 'another span' }])(
    'has another id for another notice: %o',
    (difference) => {
      expect(toNotice({ ...gap, ...difference }).id).not.toBe(toNotice(gap).id);
    },
  );

  it('keeps the text of a number beyond 2^53', () => {
    const notice = toNotice({ ...gap, data: { id: parseJson('9007199254740993') } });

    expect(notice.detail).toContain('"data":{"id":9007199254740993}');
  });
});
