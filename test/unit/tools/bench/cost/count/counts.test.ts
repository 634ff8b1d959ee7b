import { expect, it } from 'vitest';
import { dividedBy, NOTHING } from '../../../../../tools/bench/cost/count/counts.ts';

it('divides without the error of a product: 49 entries by 49 is one', () => {
  expect(dividedBy({ ...NOTHING, entriesRead: 49, events: 98 }, 49)).toMatchObject({ entriesRead: 1, events: 2 });
});
