import { describe, expect, it } from 'vitest';
import { fromOrdersText } from '../../../functions/aws/table/state-body.ts';
import { readBackfillOrders, revisionAfter } from '../../../functions/source/backfill-orders.ts';
import { malformedOrders, ORDER } from '../../support/malformed-orders.ts';

describe('the orders of backfills', () => {
  it('come as they were written', () => {
    const written = { revision: 3, orders: [ORDER, { ...ORDER, id: 'b2' }], cancelled: ['b0'] };

    expect(fromOrdersText(JSON.stringify({ version: 2, ...written }))).toEqual({ ...written, setAside: [] });
  });

  it.each(malformedOrders)('leave out what does not fit, and name it: %s', (_what, text, fitting) => {
    const read = fromOrdersText(text);

    expect(read?.orders).toEqual(fitting);
    expect(read?.setAside).not.toEqual([]);
  });

  it('of the same id are one, and have no member that nobody knows', () => {
    const orders = [{ ...ORDER, note: 'x' }, ORDER];

    expect(readBackfillOrders({ revision: 1, orders, cancelled: [] })).toMatchObject({ orders: [ORDER], setAside: [] });
  });

  it('of another version are nobody’s to read', () => {
    expect(fromOrdersText('{"version":9}')).toBeNull();
  });

  it('have another revision after each writing', () => {
    expect([revisionAfter(0), revisionAfter(1_000_000_000)]).toEqual([1, 1]);
  });
});
