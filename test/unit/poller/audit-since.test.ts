// From when on the audit trail has everything: what the proof of completeness begins with.
import { expect, it } from 'vitest';
import { personalities } from '../../../infra/membership-service/personality/personalities.ts';
import { createPollWorld } from '../../support/poll-world.ts';

const createScene = () => createPollWorld({ personality: personalities.ordinary, seed: 1 });
const withoutTrail = { auditTrail: null };

it('is the start of the first run with the trail, and stays while the trail is kept', async () => {
  const world = createScene();
  const startedAt = world.now();

  await world.tick();
  const first = world.state()?.auditSince ?? 0;
  world.advance(60_000);
  await world.tick();

  expect(first).toBeGreaterThanOrEqual(startedAt);
  expect(first).toBeLessThanOrEqual(world.state()?.firstRunAt ?? 0);
  expect(world.state()?.auditSince).toBe(first);
});

it('is forgotten while no trail is kept, and begins anew after that: what was published in between is not in it', async () => {
  const world = createScene();
  await world.tick();
  const first = world.state()?.auditSince ?? 0;

  world.advance(60_000);
  await world.tick(withoutTrail);
  const between = world.state()?.auditSince;
  world.advance(60_000);
  await world.tick();

  expect(between).toBeUndefined();
  expect(world.state()?.auditSince).toBeGreaterThanOrEqual(first + 120_000);
});

it('is written with the start of the source, so that a first run that dies does not move it', async () => {
  const world = createScene();
  world.killAt(3, 'before');
  await world.tick();
  const first = world.state()?.auditSince;

  world.advance(60_000);
  await world.tick();

  expect(first).toBeDefined();
  expect(world.state()?.auditSince).toBe(first);
});
