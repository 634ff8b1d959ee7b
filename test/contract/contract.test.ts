// The contract: for each operation of the table a group of rows, against the local service or a real organisation.
//
// With MEMBERSHIP_URL, MEMBERSHIP_USERNAME and MEMBERSHIP_PASSWORD it is held against that organisation (MEMBERSHIP_ORGANISATION_ID, else the first UUID that its account
// names): reads only, unless MEMBERSHIP_WRITE=yes, which also creates, changes and removes what it has created itself. What is an assumption is reported there and does not fail.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Operation } from '../../functions/membership/operation.ts';
import { OPERATIONS } from '../../functions/membership/operations.ts';
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

test('the contract has 35 operations, each with rows of its own', () => {
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
