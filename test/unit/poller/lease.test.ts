import { expect, it } from 'vitest';
import { poll } from '../../../functions/poller/poll.ts';
import type { Invocation } from '../../../functions/poller/run.ts';
import { fakeClock, fakeLog, NOW, settingsOf } from './builders.ts';

it('a run asks for a lease that outlives its time by two seconds, and ends quietly where another holds it (S48)', async () => {
  const asked: unknown[] = [];
  const store = {
    acquire: async (request: unknown) => {
      asked.push(request);
      return null;
    },
  };
  const invocation = {
    settings: settingsOf(),
    clock: fakeClock(),
    log: fakeLog(),
    remainingMs: 55_000,
    owner: 'me',
    store,
  };

  const result = await poll(invocation as unknown as Invocation);

  expect(asked).toEqual([{ sourceId: 'acme', owner: 'me', now: NOW, leaseUntil: NOW + 57_000 }]);
  expect(result).toMatchObject({ sourceId: 'acme', outcome: 'skipped', requests: 0 });
});
