import { describe, expect, it } from 'vitest';
import type { ActionLogPage, ActionLogQuery } from '../../../../functions/membership/action-log.ts';
import { createDeadline } from '../../../../functions/poller/run/deadline.ts';
import { fetchPage, nextPage, prefetchNext, send } from '../../../../functions/poller/shell/fetch-page.ts';
import { OutOfRequests } from '../../../../functions/poller/run/request-budget.ts';
import type { BridgeError, ErrorCode } from '../../../../functions/shared/errors.ts';
import type { Window } from '../../../../functions/source/state.ts';
import type { ServiceProfile } from '../../../../functions/source/service-profile.ts';
import { refusalOf } from '../../../support/refusal.ts';
import { contextOf, failure, MINUTE, NOW, profileOf, recordOf, serviceOf, windowOf } from '../builders.ts';

const aPage: ActionLogPage = { entries: [], body: {}, headers: {}, serverTime: null };
const params = { startDate: 'from', endDate: null, pageSize: 3 };
const place = { params, continuation: 'next' };
const goingOn = windowOf({ from: NOW, ...place });

type Scene = {
  /** How the service fails a query; null where it answers. */
  fails?: (query: ActionLogQuery) => BridgeError | null;
  profile?: ServiceProfile;
  perMinute?: number;
};

function sceneOf({ fails = () => null, profile = profileOf(), perMinute }: Scene = {}) {
  const context = contextOf();
  const answer = (query: ActionLogQuery): Partial<ActionLogPage> => {
    const error = fails(query);
    if (error !== null) throw error;
    return {};
  };
  const { service, calls } = serviceOf(context.clock, answer, perMinute);
  const deadline = createDeadline(() => context.clock.now(), MINUTE);
  return { run: { context, service, record: recordOf({ profile }), deadline, counts: { entriesRead: 0 } }, calls };
}

const refused = () => failure('RequestRefused', { status: 400 });

describe('a page that is requested', () => {
  it('begins a walk with the first variant, within the time that the run has for a request', async () => {
    const { run, calls } = sceneOf();
    run.context.clock.advance(50_000);

    const fetched = await fetchPage(run, windowOf({ from: NOW }));

    expect(fetched).toEqual({
      page: aPage,
      params: { startDate: '2026-11-20T12:00:00+00:00', endDate: null, pageSize: 100 },
    });
    expect(calls).toEqual([{ query: { pageSize: 100, startDate: '2026-11-20T12:00:00+00:00' }, timeoutMs: 7_000 }]);
  });

  it('is sent once, and without a login, where that is asked for', async () => {
    const { run } = sceneOf();
    const given: object[] = [];
    const actionLog: typeof run.service.session.actionLog = {
      ...run.service.session.actionLog,
      readPage: async (_query, options) => {
        given.push(options);
        return await Promise.resolve(aPage);
      },
    };
    const service = { ...run.service, session: { ...run.service.session, actionLog } };

    await send({ ...run, service }, { ...place, variant: null }, { once: true, keepToken: true });

    expect(given).toEqual([{ once: true, keepToken: true, timeoutMs: 15_000 }]);
  });

  it('goes on with a walk by its own parameters, and leaves the profile alone', async () => {
    const profile = profileOf({ filters: { form: 'wall' } });
    const { run, calls } = sceneOf({ profile });

    expect(await fetchPage(run, goingOn)).toEqual({ page: aPage, params });

    expect(calls).toMatchObject([{ query: { startDate: 'from', pageSize: 3, requestContinuation: 'next' } }]);
    expect(run.record.state.profile).toBe(profile);
  });

  it('is requested by the next variant after a refusal, and the accepted one is remembered', async () => {
    const { run, calls } = sceneOf({ fails: ({ startDate }) => (startDate?.endsWith('Z') ? null : refused()) });

    const { params } = await fetchPage(run, windowOf({ from: NOW }));

    const startDates = ['2026-11-20T12:00:00+00:00', '2026-11-20T12:00:00', '2026-11-20T12:00:00Z'];
    expect(calls.map(({ query }) => query.startDate)).toEqual(startDates);
    expect(params.startDate).toBe(startDates[2]);
    expect(run.record.state.profile).toMatchObject({
      filters: { form: 'utc' },
      pages: { size: { requested: 100, accepted: 100 } },
    });
  });

  it('is requested smaller where it does not fit into the memory, in the form of dates that was not refused', async () => {
    const { run, calls } = sceneOf({
      fails: ({ pageSize = 0 }) => (pageSize > 20 ? failure('ResponseTooLarge') : null),
    });

    await fetchPage(run, windowOf({ from: NOW }));

    expect(calls.map(({ query }) => query.pageSize)).toEqual([100, 50, 20]);
    expect(run.record.state.profile.pages.size).toEqual({ requested: 100, accepted: 20 });
  });

  it('is no smaller where the walk goes on: its parameters are frozen', async () => {
    const { run, calls } = sceneOf({ fails: () => failure('ResponseTooLarge') });

    expect(await refusalOf(fetchPage(run, goingOn))).toMatchObject({ code: 'ResponseTooLarge' });

    expect(calls).toHaveLength(1);
  });

  it('fails with the first refusal where the service refuses every variant, and nothing is learned', async () => {
    const refusals: BridgeError[] = [];
    const { run } = sceneOf({ fails: () => (refusals[refusals.length] = refused()) });

    const error = await refusalOf(fetchPage(run, windowOf({ from: NOW })));

    expect(error).toBe(refusals[0]);
    expect(refusals).toHaveLength(21);
    expect(run.record.state.profile).toEqual(profileOf());
  });

  it.each([
    ['the walk goes on, because its parameters were accepted before', refused(), goingOn],
    ['the service refuses something else than the variant', failure('PermissionDenied'), windowOf({ from: NOW })],
  ])('fails with its first request where %s', async (_name, error, window) => {
    const { run, calls } = sceneOf({ fails: () => error });

    await expect(fetchPage(run, window)).rejects.toBe(error);

    expect(calls).toHaveLength(1);
  });

  it('waits for its turn before its time is measured', async () => {
    const { run, calls } = sceneOf({ perMinute: 1 });
    const deadline = createDeadline(() => run.context.clock.now(), 75_000);

    for (let count = 0; count < 2; count += 1) await fetchPage({ ...run, deadline }, goingOn);

    expect(calls.map(({ timeoutMs }) => timeoutMs)).toEqual([15_000, 7_000]);
  });

  it('is not requested where the rate allows no request in this run', async () => {
    const { run, calls } = sceneOf({ perMinute: 1 });
    run.context.clock.advance(MINUTE);
    await fetchPage(run, goingOn);

    await expect(fetchPage(run, goingOn)).rejects.toThrow(OutOfRequests);

    expect(calls).toHaveLength(1);
  });
});

describe('the next page', () => {
  it('is the prefetched one where it was requested for this very place', async () => {
    const { run, calls } = sceneOf();
    run.service.prefetch.begin(place, Promise.resolve({ page: aPage, params }));

    expect(await nextPage(run, goingOn)).toEqual({ page: aPage, params });

    expect(calls).toEqual([]);
  });

  it.each<[ErrorCode, boolean]>([
    ['RateLimited', true],
    ['ServiceTimeout', false],
  ])('ends the run where a prefetched page that is not needed failed with %s: %s', async (code, ends) => {
    const { run, calls } = sceneOf();
    const error = failure(code);
    run.service.prefetch.begin(place, Promise.reject(error));

    const outcome: unknown = await nextPage(run, windowOf({ from: NOW })).catch((thrown: unknown) => thrown);

    expect(outcome === error).toBe(ends);
    expect(calls).toHaveLength(ends ? 0 : 1);
  });

  it('is requested only after a prefetched page that is not needed has come', async () => {
    const { run, calls } = sceneOf();
    const { promise, resolve } = Promise.withResolvers<{ page: ActionLogPage; params: typeof params }>();
    run.service.prefetch.begin(place, promise);

    const next = nextPage(run, windowOf({ from: NOW }));
    await run.context.clock.sleep(0);
    const sentBefore = calls.length;
    resolve({ page: aPage, params });
    await next;

    expect([sentBefore, calls.length]).toEqual([0, 1]);
  });
});

describe('the page after the next one', () => {
  const fetched = (requestContinuation: string | null) => ({
    page: { ...aPage, body: { requestContinuation } },
    params,
  });

  it.each(['after', 'x'.repeat(65_536)])('is requested before it is needed, and then taken', async (continuation) => {
    const { run, calls } = sceneOf();
    const query = { startDate: 'from', pageSize: 3, requestContinuation: continuation };

    prefetchNext(run, goingOn, fetched(continuation));
    await run.service.prefetch.settled();
    const sentBefore = calls.map((call) => call.query);
    await nextPage(run, windowOf({ params, continuation }));

    expect(sentBefore).toEqual([query]);
    expect(calls).toHaveLength(1);
  });

  type Fetching = ReturnType<typeof sceneOf>['run'];
  const nothing = (): void => {};
  it.each<[string, Window, string | null, (run: Fetching) => void | Promise<void>]>([
    ['at the start of a walk', windowOf({ from: NOW }), 'after', nothing],
    ['at the end of a walk', goingOn, null, nothing],
    ['where the continuation stays the same: the service keeps the place itself', goingOn, 'next', nothing],
    ['where the continuation is longer than any that is stored', goingOn, 'x'.repeat(65_537), nothing],
    ['where the time of the run is over', goingOn, 'after', ({ context }) => context.clock.advance(MINUTE)],
    ['where the rate allows no request now', goingOn, 'after', ({ service }) => service.budget.take()],
  ])('is not requested %s', async (_name, window, continuation, before) => {
    const { run, calls } = sceneOf({ perMinute: 1 });
    await before(run);

    prefetchNext(run, window, fetched(continuation));
    await run.service.prefetch.settled();

    expect(calls).toEqual([]);
  });
});
