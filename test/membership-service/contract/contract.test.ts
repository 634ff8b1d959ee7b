// The contract: a group of rows for each operation of the table, against the local service or a real organisation. With
// MEMBERSHIP_URL, MEMBERSHIP_USERNAME and MEMBERSHIP_PASSWORD it runs against that organisation, where assumptions are
// reported and do not fail. It only reads, unless MEMBERSHIP_WRITE=yes. See docs/membership-service.md.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Operation } from '../../../functions/membership/operation.ts';
import { OPERATIONS } from '../../../functions/membership/operations.ts';
import { tryRow } from './outcome.ts';
import { realWorld } from './real-world.ts';
import type { Row } from './row.ts';
import { rowsOf } from './rows.ts';
import { cleanUp } from './subjects.ts';
import { startLocalWorld, type World } from './world.ts';

const real = realWorld(process.env);
const WORLDS: readonly { name: string; open: () => Promise<World> }[] =
  real === null
    ? (['ordinary', 'endless'] as const).map((name) => ({ name, open: async () => await startLocalWorld(name) }))
    : [{ name: 'a real organisation', open: real }];

test('the contract has rows for each of the 35 operations', () => {
  expect(OPERATIONS).toHaveLength(35);
  expect(OPERATIONS.filter((operation) => rowsOf(operation).length < 4).map(({ name }) => name)).toEqual([]);
});

describe.each(WORLDS)('$name', ({ open }) => {
  let world: World;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(async () => {
    await cleanUp(world);
    await world.close();
  });

  describe.each<Operation>(OPERATIONS)('$name', (operation) => {
    test.for<Row>(rowsOf(operation))('$title', async (row, { skip }) => {
      const reason = await tryRow(world, operation, row);

      if (reason !== null) skip(reason);
      expect(reason).toBeNull();
    });
  });
});
