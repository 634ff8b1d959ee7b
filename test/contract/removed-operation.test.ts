// That the contract notices: a service without an operation turns the rows of that operation red, all of them and no others.
import { expect, onTestFinished, test } from 'vitest';
import type { Operation } from '../../functions/membership/operation.ts';
import { OPERATIONS, type OperationName } from '../../functions/membership/operations.ts';
import { rowsOf } from './rows.ts';
import { startLocalWorld, type World } from './world.ts';

const ALL: readonly Operation[] = OPERATIONS;

async function redRows(world: World): Promise<string[]> {
  const red: string[] = [];
  for (const operation of ALL) {
    for (const row of rowsOf(operation)) {
      await row.run(world).catch(() => red.push(`${operation.name} ${row.title}`));
    }
  }
  return red;
}

test.each(OPERATIONS.map(({ name }): OperationName => name))(
  'a service without %s turns exactly the rows of it red',
  async (name) => {
    const world = await startLocalWorld('ordinary', [name]);
    onTestFinished(world.close);

    const red = await redRows(world);

    const own = ALL.filter((operation) => operation.name === name).flatMap(rowsOf);
    expect(red).toEqual(own.map(({ title }) => `${name} ${title}`));
  },
);
