// Services that leave entries out, by the real reader of pages.
import { describe, expect, it } from 'vitest';
import { createActionLog } from '../../../infra/membership-service/action-log/action-log.ts';
import { createContinuations } from '../../../infra/membership-service/action-log/continuation.ts';
import type { LoggedEntry } from '../../../infra/membership-service/action-log/entries.ts';
import {
  createPageReader,
  type PageQuery,
  type PageReader,
} from '../../../infra/membership-service/action-log/page.ts';
import { personalities } from '../../../infra/membership-service/personality/personalities.ts';
import type { Personality } from '../../../infra/membership-service/personality/personality.ts';
import { PLAIN_NET, type Net } from '../traits/net.ts';
import { withCutStamps } from './cut-stamps.ts';
import { withEarlyEnds } from './early-ends.ts';
import { withEmptyStart, withResultsWindow } from './results-window.ts';

const NOW = 1_000_000_000_000;
const HOUR = 3_600_000;
const ORDERS: readonly Personality['order'][] = ['ascending', 'descending'];

const TIME = 'createdOn';

/** A log with an entry at each of these seconds, and the reader of its pages. */
function logOf(seconds: readonly number[], order: Personality['order'] = 'ascending', firstAt = 0) {
  const personality = { ...personalities.ordinary, order };
  const log = createActionLog(({ stampedMicros }) => stampedMicros);
  for (const [index, second] of seconds.entries())
    log.add({
      serial: index + 1,
      createdAt: firstAt + second * 1_000,
      visibleAt: 0,
      stampedMicros: second * 1e6,
      actionKey: 'ContactUpdated',
      organisationMembershipId: null,
      json: JSON.stringify({ index, [TIME]: '2026' }),
    } satisfies LoggedEntry);
  const read = createPageReader({ log, personality, continuations: createContinuations(personality), seed: 1 });
  return { log, personality, read };
}

/** The entries of each page of a walk, by their numbers, until it ends. */
function walk(read: PageReader, { limit = 100, from = -Infinity, to = Infinity, now = NOW } = {}): number[][] {
  const query: Omit<PageQuery, 'continuation'> = {
    limit,
    range: { from: from * 1e6, to: to * 1e6 },
    about: { actionKeys: null, membershipId: null },
    accepts: () => true,
    hash: `${from} ${to}`,
  };
  const pages: number[][] = [];
  let continuation: string | null = null;
  do {
    const page = read({ ...query, continuation }, now);
    pages.push(page.json.map((text) => (JSON.parse(text) as { index: number }).index));
    continuation = page.continuation;
  } while (continuation !== null);
  return pages;
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const net = (some: Partial<Net>): Net => ({ ...PLAIN_NET, ...some });

describe.each(ORDERS)('a window of results, %s', (order) => {
  const all = order === 'ascending' ? upTo(500) : upTo(500).toReversed();
  const { read: whole, ...parts } = logOf(upTo(500), order);
  const read = withResultsWindow(whole, net({ results: 150 }), parts);

  it('shows the first 150 of 500 entries, and ends there as at any other end', () => {
    expect(walk(whole).flat()).toEqual(all);
    expect(walk(read).map(({ length }) => length)).toEqual([100, 50]);
    expect(walk(read).flat()).toEqual(all.slice(0, 150));
  });

  it('shows the rest to a narrower query', () => {
    const beyond = order === 'ascending' ? { from: 400 } : { to: 100 };

    expect(walk(read, beyond).flat()).toEqual(all.slice(400));
  });

  it('counts only what is asked for and can be seen', () => {
    const { read: late, log, personality } = logOf(upTo(500), order);
    for (const entry of log.written) if (entry.serial % 2 === 0) entry.visibleAt = Infinity;

    expect(walk(withResultsWindow(late, net({ results: 150 }), { log, personality })).flat()).toHaveLength(150);
  });
});

describe.each(ORDERS)('cut stamps, %s', (order) => {
  /** Fives of one second. */
  const { read: whole } = logOf(
    upTo(40).map((index) => Math.floor(index / 5)),
    order,
  );
  const secondsOf = (page: readonly number[]): number[] => page.map((index) => Math.floor(index / 5));
  const [first, second, third] = order === 'ascending' ? [0, 1, 2] : [7, 6, 5];

  it('do not pass over what has no time', () => {
    const { read, log } = logOf([0, 0, 0, 1], order);
    const timeless = log.written[1]!;
    timeless.json = JSON.stringify({ index: 1, [TIME]: null });

    expect(walk(withCutStamps(read, net({ cutStamps: 'any' }), TIME), { limit: 1 }).flat()).toContain(1);
  });

  it('at any border pass over exactly the others of the last stamp shown', () => {
    const pages = walk(withCutStamps(whole, net({ cutStamps: 'any' }), TIME), { limit: 7 });

    expect(pages.slice(0, 2).map(secondsOf)).toEqual([
      [first, first, first, first, first, second, second],
      [third, third, third, third, third, order === 'ascending' ? 3 : 4, order === 'ascending' ? 3 : 4],
    ]);
    expect(pages.flat()).toHaveLength(40 - 4 * 3);
  });

  it('at a lone entry end the page after the first of its stamp, in the second half of the page', () => {
    const pages = walk(withCutStamps(whole, net({ cutStamps: 'lone' }), TIME), { limit: 10 });

    expect(secondsOf(pages[0] ?? [])).toEqual([first, first, first, first, first, second]);
    expect(pages.map(({ length }) => length)).toEqual([6, 6, 6, 6, 0]);
  });

  it('leave a second whole that stands on one page with its neighbours', () => {
    for (const cutStamps of ['any', 'lone'] as const)
      expect(walk(withCutStamps(whole, net({ cutStamps }), TIME), { limit: 30, from: 3, to: 6 }).flat()).toHaveLength(
        15,
      );
  });
});

describe('early ends', () => {
  const endsOf = (firstAt: number): number => {
    const { read } = logOf(upTo(50), 'ascending', firstAt);
    const isMidWalk = ({ continuation }: { continuation: string | null }): boolean => continuation !== null;
    const early = withEarlyEnds(read, net({ earlyEnds: 0.05 }), { seed: 1, isMidWalk });
    return upTo(200).filter(() => walk(early, { limit: 10 }).flat().length < 50).length;
  };

  it('befall a page of twenty of what is more than 30 hours old, and no other', () => {
    expect(endsOf(NOW - 40 * HOUR) / 200).toBeCloseTo(1 - 0.95 ** 4, 1);
    expect(endsOf(NOW - 20 * HOUR)).toBe(0);
  });
});

it('an empty start shows nothing, and an end, until it is over', () => {
  const { read: whole } = logOf(upTo(50));
  const read = withEmptyStart(whole, NOW);

  expect(walk(read, { now: NOW - 1 })).toEqual([[]]);
  expect(walk(read).flat()).toEqual(upTo(50));
});
