import { beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { handler } from '../../../functions/consumers/member-change/handler.ts';
import { sampleEvent } from '../../../functions/events/index.ts';
import { CONTEXT, fakeTable } from '../../support/consumer-world.ts';

const EVENT = sampleEvent('MemberChanged');

describe('member-change', () => {
  let info: MockInstance<typeof console.info>;
  let table: ReturnType<typeof fakeTable>;
  beforeEach(() => {
    info = vi.spyOn(console, 'info').mockReturnValue();
    table = fakeTable();
  });

  it('logs the action and the membership, but no personal data', async () => {
    await handler(EVENT, CONTEXT);

    expect(info.mock.calls).toEqual([
      [
        {
          id: EVENT.detail.metadata.id,
          actionKey: 'ContactUpdated',
          organisationMembershipId: '48699cf4-9a9a-4046-8859-a641dc927767',
          occurredAt: '2026-11-20T09:14:03.794Z',
        },
      ],
    ]);
  });

  it('acts once when the same event comes twice, even with another id of EventBridge', async () => {
    await handler(EVENT, CONTEXT);
    await handler({ ...EVENT, id: 'another', time: '2026-11-20T10:00:00Z' }, CONTEXT);

    expect(info).toHaveBeenCalledTimes(1);
  });

  it('remembers an event for 8 days, as a digest only', async () => {
    const before = Math.floor(Date.now() / 1000);

    await handler(EVENT, CONTEXT);

    const [item] = table.values();
    const days = (Number(item?.['expiration']?.N) - before) / 86_400;
    expect(item?.['status']).toEqual({ S: 'COMPLETED' });
    expect(days).toBeGreaterThanOrEqual(8);
    expect(days).toBeLessThan(8.01);
    expect(JSON.stringify([...table])).not.toMatch(/48699cf4|Ada|11e1c2eb/);
  });

  it('acts again after a rejected attempt', async () => {
    info.mockImplementationOnce(() => {
      throw new RangeError('No room.');
    });

    const first = handler(EVENT, CONTEXT);
    await expect(first).rejects.toThrow('No room.');
    await handler(EVENT, CONTEXT);

    expect(info).toHaveBeenCalledTimes(2);
  });

  it('ignores an event of another type, which a wider rule may deliver', async () => {
    await handler(sampleEvent('PaymentChanged'), CONTEXT);

    expect(info).not.toHaveBeenCalled();
    expect(table.size).toBe(0);
  });

  it('rejects other input, so that it ends in the dead-letter queue', async () => {
    const rejected = handler({ Records: [] }, CONTEXT);

    await expect(rejected).rejects.toMatchObject({ code: 'EventInvalid' });
    expect(info).not.toHaveBeenCalled();
  });
});
