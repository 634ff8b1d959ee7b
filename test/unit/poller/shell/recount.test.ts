// Identical copies on two pages of a walk: the second they share is read as a window of its own.
import { describe, expect, it } from 'vitest';
import type { ActionLogPage, ActionLogQuery } from '../../../../functions/membership/action-log.ts';
import { BridgeError, type ErrorCode } from '../../../../functions/shared/errors.ts';
import { personalities } from '../../../../infra/membership-service/personality/personalities.ts';
import { createPollWorld, pageOf } from '../../../support/poll-world.ts';
import { MINUTE } from '../builders.ts';

/** Entries without an id, all of one second. */
const entriesOf = (names: string) =>
  names.split(' ').map((actionKey) => ({ createdOn: '2026-03-10T09:00:00', actionKey }));
const continued = { body: { requestContinuation: 'more' } };

/** A source whose second run meets x on two pages. `unit` answers the requests for the second of x. */
async function sourceWith(unit: (query: ActionLogQuery, requests: number) => ActionLogPage) {
  const settings = { startFrom: 'beginning', timeZone: 'UTC' };
  const world = createPollWorld({ personality: personalities.ordinary, seed: 2, settings });
  const queries: ActionLogQuery[] = [];
  const answer = (query: ActionLogQuery): ActionLogPage => {
    if (query.endDate === undefined)
      return query.requestContinuation === undefined ? pageOf(entriesOf('x y'), continued) : pageOf(entriesOf('x z'));
    // Whether pages begin within a stamp is asked with smaller ones.
    if (query.pageSize !== 1_000) return pageOf([]);
    queries.push(query);
    return unit(query, queries.length);
  };
  await world.tick({ instead: { readPage: async () => await Promise.resolve(pageOf(entriesOf('first'))) } });
  return {
    queries,
    /** One run; `pauseMs` is how long its second page takes. */
    tick: async (pauseMs = 0) => {
      const readPage = async (_usual: unknown, query: ActionLogQuery) => {
        if (query.requestContinuation !== undefined) world.advance(pauseMs);
        return await Promise.resolve(answer(query));
      };
      world.advance(5 * MINUTE);
      const result = await world.tick({ instead: { readPage } });
      return result instanceof BridgeError ? result.code : result;
    },
    copies: () => world.published.filter(({ detail }) => detail.includes('"actionKey":"x"')).length,
  };
}

const failure = (code: ErrorCode): never => {
  throw new BridgeError(code, code, { retryable: false });
};

describe('the copies in a second', () => {
  it('are counted over its pages, and its entries count as read, as do those beyond the walk', async () => {
    // That the filter includes its end was learned from what lies beyond the first walk.
    const page = { pageSize: 1_000, startDate: '2026-03-10T08:59:59', endDate: '2026-03-10T09:00:00' };
    const { tick, queries, copies } = await sourceWith((_query, requests) =>
      requests === 1 ? pageOf(entriesOf('x x x'), continued) : pageOf(entriesOf('y z')),
    );

    expect(await tick()).toMatchObject({ entriesRead: 4 + 5 + 8, eventsPublished: 5 });
    expect(queries).toEqual([page, { ...page, requestContinuation: 'more' }]);
    expect(copies()).toBe(3);
  });

  it.each<ErrorCode>(['RequestRefused', 'ContinuationRefused'])(
    'are in doubt after %s: all are published',
    async (code) => {
      const { tick, copies } = await sourceWith(() => failure(code));

      expect(await tick()).toMatchObject({ outcome: 'published', eventsPublished: 4 });
      expect(copies()).toBe(2);
    },
  );

  it('are not published in a run that fails otherwise', async () => {
    const { tick, copies } = await sourceWith((_query, requests) =>
      requests === 1 ? failure('ServiceUnavailable') : pageOf(entriesOf('x x')),
    );

    expect([await tick(), copies()]).toEqual(['ServiceUnavailable', 1]);
    await tick();
    expect(copies()).toBe(2);
  });

  it('are left to a later run where this one has no time', async () => {
    const { tick, queries, copies } = await sourceWith(() => pageOf(entriesOf('x x')));

    expect(await tick(MINUTE)).toMatchObject({ outcome: 'continuing', eventsPublished: 2 });
    expect([queries, copies()]).toEqual([[], 1]);
    expect(await tick()).toMatchObject({ outcome: 'published', eventsPublished: 2 });
    expect(copies()).toBe(2);
  });
});
