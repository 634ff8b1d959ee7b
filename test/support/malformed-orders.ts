// Texts in place of the orders of backfills, as whoever may write that attribute can leave them.

export const ORDER = {
  id: 'b1',
  from: Date.parse('2026-03-01T00:00:00Z'),
  to: Date.parse('2026-03-02T00:00:00Z'),
  orderedAt: Date.parse('2026-03-10T08:00:00Z'),
  expectedEntries: null,
};

const textOf = (members: object): string =>
  JSON.stringify({ version: 2, revision: 1, orders: [], cancelled: [], ...members });
const withOrder = (order: unknown): string => textOf({ orders: [order] });
const many = (count: number): object[] => Array.from({ length: count }, (_, at) => ({ ...ORDER, id: `b${at}` }));

/** What it is, the text, and what of its orders fits. */
export const malformedOrders: readonly (readonly [string, string, readonly object[]])[] = [
  ['no JSON', '{"version":2,', []],
  ['no object', '5', []],
  ['null', 'null', []],
  ['no version', '{"revision":1}', []],
  ['no revision', '{"version":2,"orders":[],"cancelled":[]}', []],
  ['a revision that is a text', textOf({ revision: '1' }), []],
  ['a revision that nothing can follow', textOf({ revision: 2 ** 53 }), []],
  ['no orders', textOf({ orders: undefined }), []],
  ['orders that are null', textOf({ orders: null }), []],
  ['orders that are an object', textOf({ orders: { 0: ORDER } }), []],
  ['cancelled that is null', textOf({ cancelled: null }), []],
  ['cancelled that is a text', textOf({ cancelled: 'b1' }), []],
  ['cancelled ids that are objects', textOf({ cancelled: [{}] }), []],
  ['an order that is null', withOrder(null), []],
  ['an order that is a text', withOrder('b1'), []],
  ['an order without an id', withOrder({ ...ORDER, id: undefined }), []],
  ['an id that is an object', withOrder({ ...ORDER, id: {} }), []],
  ['an id of a million characters', withOrder({ ...ORDER, id: 'b'.repeat(1_000_000) }), []],
  ['an order without a span', withOrder({ id: 'b1', orderedAt: ORDER.orderedAt, expectedEntries: null }), []],
  ['a span of texts', withOrder({ ...ORDER, from: '2026-03-01', to: '2026-03-02' }), []],
  ['a span that no calendar has', withOrder({ ...ORDER, from: -9e15, to: 9e15 }), []],
  ['a span that ends before it begins', withOrder({ ...ORDER, from: ORDER.to, to: ORDER.from }), []],
  ['a span of centuries', withOrder({ ...ORDER, from: Date.parse('1800-01-01T00:00:00Z') }), []],
  ['no time of the order', withOrder({ ...ORDER, orderedAt: null }), []],
  ['a count that is a text', withOrder({ ...ORDER, expectedEntries: 'many' }), []],
  ['one of two that fits', textOf({ orders: [null, ORDER] }), [ORDER]],
  ['more than are possible at a time', textOf({ orders: many(9) }), many(5)],
];
