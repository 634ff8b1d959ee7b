import { afterEach, describe, expect, it, vi } from 'vitest';
import { handler } from '../../../functions/consumers/member-change/handler.ts';

const metadata = {
  id: 'db32c7b1-7fc1-8507-931e-00ff6e4ad56e',
  version: '1',
  sourceId: 'acme',
  organisationId: null,
  actionKey: 'ContactUpdated',
  organisationMembershipId: '48699cf4-9a9a-4046-8859-a641dc927767',
  occurredAt: '2026-11-20T09:14:03.794Z',
  occurredAtText: '2026-11-20T12:14:03.794',
  observedAt: '2026-11-20T09:14:41.120Z',
  entrySha256: 'ab'.repeat(32),
  late: false,
  backfillId: null,
  requestId: 'request-1',
};

function anEvent(detailType: string) {
  return {
    version: '0',
    id: '6a7e8feb-b491-4cf7-a9f1-bf3703467718',
    'detail-type': detailType,
    source: 'membership.actionlog',
    account: '111122223333',
    time: '2026-11-20T09:14:03Z',
    region: 'eu-central-1',
    resources: [],
    detail: { metadata, data: { id: 7, contactName: 'Ada Tanaka', email: 'ada@example.org' } },
  };
}

describe('member-change', () => {
  const info = vi.spyOn(console, 'info').mockReturnValue();
  afterEach(() => {
    info.mockClear();
  });

  it('logs what changed and of whom, and none of their data', async () => {
    await handler(anEvent('MemberChanged'));

    expect(info.mock.calls).toEqual([
      [
        {
          id: 'db32c7b1-7fc1-8507-931e-00ff6e4ad56e',
          actionKey: 'ContactUpdated',
          organisationMembershipId: '48699cf4-9a9a-4046-8859-a641dc927767',
          occurredAt: '2026-11-20T09:14:03.794Z',
        },
      ],
    ]);
  });

  it('passes over an event of another type, which a wider rule may bring', async () => {
    await handler(anEvent('PaymentChanged'));

    expect(info).not.toHaveBeenCalled();
  });

  it('rejects what is no event of the bridge, so that it ends in the dead-letter queue', async () => {
    const rejected = handler({ Records: [] });

    await expect(rejected).rejects.toMatchObject({ code: 'EventInvalid' });
    expect(info).not.toHaveBeenCalled();
  });
});
