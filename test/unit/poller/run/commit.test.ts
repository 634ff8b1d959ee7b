import { expect, it } from 'vitest';
import { createSourceRecord } from '../../../../functions/poller/run/commit.ts';
import type { Sweep } from '../../../../functions/source/state.ts';
import { createMemoryPorts } from '../../../support/memory-ports.ts';
import { NOW, stateOf, windowOf } from '../builders.ts';

/** The record of a source whose lease a run has taken. `counted` is what the run counts for later runs. */
async function recordOf() {
  const { store, ...stored } = createMemoryPorts({ now: () => NOW });
  const acquire = async (owner: string) =>
    await store.acquire({ sourceId: 'acme', owner, now: NOW, leaseUntil: owner === 'run' ? NOW : NOW + 1 });
  const taken = await acquire('run');
  if (taken === null) throw new Error('Nobody else has the lease.');
  const counted = { requestSlots: [] as { at: number; count: number }[], noticed: ['notice'] };
  const record = createSourceRecord({ store, lease: taken.lease, state: stateOf(), counted: () => counted });
  return { record, counted, acquire, ...stored };
}

it('replaces what is committed in memory, and stores nothing until asked to', async () => {
  const { record, state } = await recordOf();

  record.commit({ failures: 2 });
  record.commit({ publishFrom: NOW });

  expect(record.state).toEqual(stateOf({ failures: 2, publishFrom: NOW }));
  expect(state()).toBeNull();
});

it('stores the state with what the run has counted by then', async () => {
  const { record, counted, state } = await recordOf();
  record.commit({ failures: 2 });
  counted.requestSlots.push({ at: NOW, count: 1 });

  await record.save();

  expect(state()).toEqual(stateOf({ failures: 2, ...counted }));
  expect(record.state).toEqual(stateOf({ failures: 2 }));
});

it('keeps the lease when it saves, and gives it back when it completes', async () => {
  const { record, owner, state } = await recordOf();

  await record.save();
  const whileSaved = owner();
  record.commit({ failures: 1 });
  await record.complete();

  expect([whileSaved, owner(), state()?.failures]).toEqual(['run', null, 1]);
});

it('reads and writes the deferred sweeps of its source', async () => {
  const { record, deferred } = await recordOf();
  const sweep: Sweep = { id: 's', level: 'past', startedAt: NOW, queryHash: 'q', windows: [windowOf()], runs: 0 };

  await record.writeDeferred({ sweeps: [sweep] });

  expect([await record.readDeferred(), deferred()]).toEqual([{ sweeps: [sweep] }, { sweeps: [sweep] }]);
});

it('writes nothing once another run has the lease', async () => {
  const { record, acquire, state, deferred } = await recordOf();
  await acquire('another');

  const lost = { code: 'LeaseLost' };
  await expect(record.save()).rejects.toMatchObject(lost);
  await expect(record.complete()).rejects.toMatchObject(lost);

  expect([state(), deferred()]).toEqual([null, null]);
});
