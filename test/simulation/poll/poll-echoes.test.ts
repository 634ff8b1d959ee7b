// A service that repeats the token of the session in the action keys of its log.
import { expect, it } from 'vitest';
import { echoOf } from '../../../functions/membership/echoes.ts';
import { personalities } from '../../../infra/membership-service/personality/personalities.ts';
import { createPollWorld, type Instead } from '../../support/poll-world.ts';
import { MINUTE } from '../../unit/poller/builders.ts';

const ECHO = 'Called-by-the-token-of-one-hour';

const repeating = (token: string): Instead => ({
  readPage: async (usual, ...asked) => {
    const page = await usual(...asked);
    const entries = page.entries.map((entry) => ({ ...entry, actionKey: ECHO }));
    return { ...page, entries, isEcho: echoOf([token]) };
  },
});

it('has its entries published once, with the digest in the metadata while the token is known', async () => {
  const world = createPollWorld({ personality: personalities.ordinary, seed: 1 });
  await world.tick();

  world.act();
  world.advance(MINUTE);
  await world.tick({ instead: repeating('the-token-of-one-hour') });
  world.advance(MINUTE);
  await world.tick({ instead: repeating('the-token-of-the-next-hour') });

  const events = world.published.map(({ detail }) => JSON.parse(detail) as { metadata: object; data: object });
  expect(events).toHaveLength(1);
  expect(JSON.stringify(events[0]?.metadata)).not.toContain(ECHO);
  expect(events[0]).toMatchObject({
    metadata: { actionKey: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as unknown },
    data: { actionKey: ECHO },
  });
  expect(world.state()?.profile.unknownActionKeys ?? []).not.toContain(ECHO);
});
