import { expect, it } from 'vitest';
import { liveApi, MAX_TABS } from '../../../../../infra/local/console/api/live.ts';
import { createFeed } from '../../../../../infra/local/console/feed.ts';
import type { ConsoleWorld } from '../../../../../infra/local/console/world.ts';

it('streams to fifty tabs, and to another one as soon as one of them is closed', async () => {
  const cloud = { services: { eventbridge: { resources: { events: () => [] } } } };
  const world = { cloud, functions: [], feed: createFeed(() => []), facts: { sources: [] }, local: null };
  const ended = new AbortController();
  let followed = 0;
  const follow = async (_arguments: string[], _show: unknown, signal: AbortSignal): Promise<void> => {
    followed += 1;
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  };
  const app = liveApi(world as unknown as ConsoleWorld, { operator: { follow } as never, ended: ended.signal });
  const open = async () => await app.request('/');

  const tabs = await Promise.all(Array.from({ length: MAX_TABS }, open));
  const refused = await open();
  await tabs[0]?.body?.cancel();
  await expect.poll(async () => (await open()).status).toBe(200);

  expect(new Set(tabs.map(({ status }) => status))).toEqual(new Set([200]));
  expect(refused.status).toBe(503);
  expect(await refused.json()).toEqual({
    error: 'The console is open in 50 tabs, and in no more at a time. Close some of them.',
  });
  expect(followed).toBe(1);
  ended.abort();
});
