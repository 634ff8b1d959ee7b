// Since when a source has an audit trail.
import { expect, it } from 'vitest';
import { personalities } from '../../../infra/membership-service/personality/personalities.ts';
import { createPollWorld } from '../../support/poll-world.ts';
import { MINUTE } from '../../unit/poller/builders.ts';

const createScene = () => createPollWorld({ personality: personalities.ordinary, seed: 1 });

it('is the start of the first run with the trail, and stays while the trail is kept', async () => {
  const world = createScene();
  const startedAt = world.now();

  await world.tick();
  const first = world.state()?.auditSince ?? 0;
  world.advance(MINUTE);
  await world.tick();

  expect(first).toBeGreaterThanOrEqual(startedAt);
  expect(first).toBeLessThanOrEqual(world.state()?.firstRunAt ?? 0);
  expect(world.state()?.auditSince).toBe(first);
});

it('is forgotten while no trail is kept, and begins again after that: the time between is not covered', async () => {
  const world = createScene();
  await world.tick();
  const first = world.state()?.auditSince ?? 0;

  world.advance(MINUTE);
  await world.tick({ auditTrail: null });
  const between = world.state()?.auditSince;
  world.advance(MINUTE);
  await world.tick();

  expect(between).toBeUndefined();
  expect(world.state()?.auditSince).toBeGreaterThanOrEqual(first + 2 * MINUTE);
});

it('is stored with the start of the source, so that a first run that dies does not move it', async () => {
  const world = createScene();
  world.killAt('requests', 'before');
  await world.tick();
  const first = world.state()?.auditSince;

  world.advance(MINUTE);
  await world.tick();

  expect(first).toBeDefined();
  expect(world.state()?.auditSince).toBe(first);
});
