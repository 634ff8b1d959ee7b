import { describe, expect, it } from 'vitest';
import { apply } from '../../../functions/poller/accept-page.ts';
import type { Run } from '../../../functions/poller/run.ts';
import { factsOf, fakeLog, stateOf } from './builders.ts';

function runWith(give: (type: string, key: string) => Promise<void>) {
  const run = { state: stateOf(), log: fakeLog(), notices: { give, remembered: () => [] } };
  return run as unknown as Run & typeof run;
}

describe('a lesson that contradicts an earlier one', () => {
  const learned = factsOf({ idField: '/logId' });
  const changes = [{ kind: 'idField', before: '/id', after: '/logId' }];

  it('is taken over once the bus has taken its notice', async () => {
    const given: string[] = [];
    const run = runWith(async (type, key) => {
      await Promise.resolve();
      given.push(`${type} ${key} ${run.state.learned.idField}`);
    });

    await apply(run, { learned, changes });

    expect(given).toEqual(['SourceResponseChanged idField:/id:/logId null']);
    expect(run.state.learned).toEqual(learned);
  });

  it('is not taken over where the bus does not take its notice, so that the next run tells of it', async () => {
    const run = runWith(() => Promise.reject(new Error('not taken')));

    await expect(apply(run, { learned, changes })).rejects.toThrow('not taken');

    expect(run.state.learned).toEqual(factsOf());
  });

  it('is logged as a warning', async () => {
    const run = runWith(() => Promise.resolve());

    await apply(run, { learned, changes });

    expect(run.log.lines.map(({ level, fields }) => ({ level, fields }))).toEqual([
      { level: 'warn', fields: changes[0] },
    ]);
  });
});
