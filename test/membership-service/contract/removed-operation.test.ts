// The sensitivity of the contract: without some operations exactly the rows of these operations fail.
import { expect, onTestFinished, test } from 'vitest';
import type { Operation } from '../../../functions/membership/operation.ts';
import { OPERATIONS, type OperationName } from '../../../functions/membership/operations.ts';
import { rowsOf } from './rows.ts';
import { startLocalWorld, type World } from './world.ts';

const ALL: readonly Operation[] = OPERATIONS;

async function failingRows(world: World): Promise<string[]> {
  const failing: string[] = [];
  for (const operation of ALL) {
    for (const row of rowsOf(operation)) {
      await row.run(world).catch(() => failing.push(`${operation.name} ${row.title}`));
    }
  }
  return failing;
}

/** Half of the operations at a time, of all resources: each world costs all rows. */
const GROUPS = [0, 1].map((group) => OPERATIONS.filter((_, index) => index % 2 === group).map(({ name }) => name));

test.each(GROUPS.map((names): [string, OperationName[]] => [names.join(', '), names]))(
  'a service without %s fails exactly their rows',
  async (_names, names) => {
    const world = await startLocalWorld('ordinary', names);
    onTestFinished(world.close);

    const failing = await failingRows(world);

    const own = ALL.filter(({ name }) => names.includes(name as OperationName));
    expect(failing).toEqual(
      own.flatMap((operation) => rowsOf(operation).map(({ title }) => `${operation.name} ${title}`)),
    );
  },
);
