// @module-tag long
// Answers that are not a page: empty, of another type, too large, too slow, from elsewhere. None counts as the end.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { gzipSync } from 'node:zlib';
import { personalities } from '../../infra/membership-service/service.ts';
import { isPage, json, startRelay, startRelayedWorld, type Handling, type RelayedAnswer } from '../support/relay.ts';
import { startWorld, type World } from '../support/world.ts';

const { ordinary, endless } = personalities;
const MEGABYTE = 1024 * 1024;

const answer = (body: string | Buffer, headers: Record<string, string> = {}, status = 200): RelayedAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body,
});

/** The peak memory of any function's process, in bytes. */
function peakMemory({ cloud }: World): number {
  const peaks = cloud.services.lambda.resources.pids().map((pid) => {
    const [, kilobytes = '0'] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) * 1024;
  });
  return Math.max(...peaks);
}

/** A source with a baseline and one entry not yet read, whose next pages are answered by `spoil`. */
async function startSpoiled(
  spoil: Handling,
  timeoutMs = 8_000,
): Promise<{ world: World; heal: () => void; through: { baseUrl: string } }> {
  let isSpoiled = false;
  const { world, through } = await startRelayedWorld(
    { history: { entries: 30, days: 1 }, timeoutMs, memoryMb: 256 },
    async (...exchange) => {
      const [request, pass] = exchange;
      return isSpoiled && isPage(request) ? await spoil(...exchange) : await pass();
    },
  );
  await world.tickUntilDone(through);
  world.service.write({ actionKey: 'ContactUpdated', memberName: 'Ada' });
  isSpoiled = true;
  return { world, through, heal: () => void (isSpoiled = false) };
}

const PAGES_THAT_ARE_NONE: [string, RelayedAnswer, string][] = [
  ['data: null', json({ data: null, isValid: true, errors: [] }), 'ResponseInvalid'],
  [
    'half a gzip',
    answer(gzipSync('{"data":[],"isValid":true}').subarray(0, 20), { 'content-encoding': 'gzip' }),
    'ResponseInvalid',
  ],
  ['50 MB', answer(Buffer.alloc(50 * MEGABYTE, ' ')), 'ResponseTooLarge'],
  [
    '50 MB in a few packed bytes',
    answer(gzipSync(Buffer.alloc(50 * MEGABYTE, ' ')), { 'content-encoding': 'gzip' }),
    'ResponseTooLarge',
  ],
];

describe('an answer with', () => {
  test.each(PAGES_THAT_ARE_NONE)(
    '%s fails the run in bounded memory: low, level times and cursor stay (S17, S37)',
    async (_name, spoiled, code) => {
      const { world, heal, through } = await startSpoiled(() => spoiled);
      const before = (await world.stored()).state;

      const { error } = await world.tryTick(through);
      const after = (await world.stored()).state;
      const memory = peakMemory(world);
      heal();
      await world.tick(through);

      expect(error).toMatchObject({ code });
      expect(after).toMatchObject({ watermarks: before?.watermarks, cursor: before?.cursor, failures: 1 });
      expect(memory).toBeLessThan(256 * MEGABYTE);
      expect(world.events()).toHaveLength(1);
    },
  );
});

describe('a service that', () => {
  test('hangs ends the run before its limit, with a code (S38)', async () => {
    const { world } = await startSpoiled((_request, pass) => pass(), 8_000);
    Object.assign(world.service.faults, { hang: true, filter: '/app' });
    const begun = Date.now();

    const { error } = await world.tryTick();

    expect(error).toMatchObject({ code: 'ServiceTimeout' });
    expect(Date.now() - begun).toBeLessThan(8_000);
  });

  test('redirects to another host is not followed, and the target gets no bearer token (S39)', async () => {
    const { world, through } = await startSpoiled((_request, pass) => pass());
    const elsewhere = await startRelay(world.service.url);
    const redirecting = await startRelay(world.service.url, async (request, pass) =>
      isPage(request) ? answer('', { location: `${elsewhere.url}/app/actionlogs` }, 302) : await pass(),
    );

    const { error } = await world.tryTick({ baseUrl: redirecting.url });

    expect(error).toMatchObject({ code: 'RedirectRefused' });
    expect(elsewhere.requests).toEqual([]);
    expect(through.baseUrl).not.toBe(elsewhere.url);
  });
});

describe('a page size of 1,000', () => {
  test('that the service refuses is lowered once, and the accepted size is remembered (S19)', async () => {
    const world = await startWorld({
      personality: endless,
      history: { entries: 90, days: 1 },
      settings: { startFrom: 'beginning', pageSize: 1_000 },
    });
    await world.tickUntilDone();
    const refused = (): number => world.service.requests.recent.filter(({ status }) => status === 400).length;
    const before = refused();

    world.service.write({ actionKey: 'ContactUpdated', memberName: 'Ada' });
    await world.tickUntilDone();

    expect(before).toBeGreaterThan(0);
    expect(refused()).toBe(before);
    expect((await world.stored()).state?.profile.pages.size).toMatchObject({ requested: 1_000, accepted: 50 });
    await world.assertNothingLost();
  });
});

test('ids and tokens that are numbers beyond 2^53 are unchanged from the page to the event, to the state and back (S18)', async () => {
  const tokens: string[] = [];
  const numbered = (token: string): string => String(2n ** 53n + BigInt(2 * tokens.push(token) - 1));
  const { world, relay, through } = await startRelayedWorld(
    { personality: { ...ordinary, ids: 'numericBeyond2to53' }, timeoutMs: 5_000, settings: { pageSize: 5 } },
    async (request, pass) => {
      const sent = request.query.get('requestContinuation');
      const query = new URLSearchParams(request.query);
      if (sent !== null) query.set('requestContinuation', tokens[Number((BigInt(sent) - 2n ** 53n - 1n) / 2n)] ?? '');
      const page = await pass(query);
      const body = page.body.replace(
        /"requestContinuation":"(.+?)"/,
        (_all, token: string) => `"requestContinuation":${numbered(token)}`,
      );
      return { ...page, body };
    },
  );
  await world.tickUntilDone(through);
  for (let index = 0; index < 20; index += 1) world.service.write({ actionKey: 'ContactUpdated', memberName: 'Ada' });

  await world.tick({ ...through, maxRequestsPerMinute: world.service.requests.actionlogs + 2 });
  const stored = (await world.stored()).state?.cursor?.windows.at(-1)?.continuation ?? '';
  await world.tickUntilDone(through);

  const ids = world.service.entries().map(({ json }) => /"id":(\d+)/.exec(json)?.[1] ?? '');
  const published = world.events().map(({ text }) => /"data":\{"id":(\d+)/.exec(text)?.[1] ?? '');
  expect(Number.isSafeInteger(Number(stored))).toBe(false);
  expect(relay.requests.map(({ query }) => query.get('requestContinuation'))).toContain(stored);
  expect(new Set(ids.map(Number)).size).toBeLessThan(ids.length);
  expect(published.toSorted()).toEqual(ids.toSorted());
});
