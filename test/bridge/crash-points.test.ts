// @module-tag long
// The process dies between every two calls that it makes: the next run goes on from whatever was half done.
import { describe, expect, test } from 'vitest';
import { startWorld, type World } from '../support/world.ts';

const SETTINGS = { startFrom: 'beginning', pageSize: 20 };

async function worldWithBacklog(): Promise<World> {
  return await startWorld({ history: { entries: 50, days: 1 }, settings: SETTINGS });
}

/** Calls of AWS in one undisturbed first run. */
async function callsOfARun(): Promise<string[]> {
  const world = await worldWithBacklog();
  const calls: string[] = [];
  world.aws.act('*', 'before', (call) => calls.push(`${call.service}.${call.operation}`), { times: Infinity });
  await world.tick();
  return calls;
}

describe('a run that is killed', () => {
  test('loses nothing before the first and after the last call of each kind, and repeats at most one ledger group (S01)', async () => {
    const calls = await callsOfARun();
    expect(calls).toContain('eventbridge.PutEvents');
    expect(calls.length).toBeGreaterThan(10);
    // What is stored after a call is what is stored before the next one; the simulation kills a run at any call.
    const points = [...new Set(calls)].flatMap((name) => [
      { name, index: calls.indexOf(name), when: 'before' as const },
      { name, index: calls.lastIndexOf(name), when: 'after' as const },
    ]);

    let died = 0;
    for (const { name, index, when } of points) {
      const world = await worldWithBacklog();
      world.aws.act('*', when, () => world.cloud.services.lambda.resources.kill(), { skip: index });
      const killed = await world.tryTick();
      const made = Object.values(world.cloud.counts()).reduce((sum, calls) => sum + calls, 0);
      await world.expireLease();
      // A run that died in its first login is followed by no other login with that version of the secret.
      world.putCredentials();
      const { duplicates } = await world.assertNothingLost({ duplicates: 100, override: SETTINGS });

      // A slower run may make one call less than the undisturbed one; one that reached this call died there.
      expect({ name, index, when, died: killed.error !== undefined }).toEqual({
        name,
        index,
        when,
        died: made > index,
      });
      died += killed.error === undefined ? 0 : 1;
      expect(duplicates).toBeLessThanOrEqual(100);
      await world.end();
    }
    expect(died).toBeGreaterThan(points.length - 4);
  });
});
