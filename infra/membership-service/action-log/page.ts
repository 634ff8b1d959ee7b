// One page of the action log: its entries, and the continuation.
import type { About, ActionLog } from './action-log.ts';
import type { Continuations, WalkPosition } from './continuation.ts';
import type { LoggedEntry } from './entries.ts';
import { shuffled, stretchOf, take, type Placed, type Stretch } from './entry-order.ts';
import type { Personality } from '../personality/personality.ts';
import { mix } from '../random.ts';
import type { KeyRange } from './stamps.ts';

export type PageQuery = {
  limit: number;
  continuation: string | null;
  range: KeyRange;
  about: About;
  /** Admits exactly what `about` means. */
  accepts: (entry: LoggedEntry) => boolean;
  /** Hash of all parameters except the continuation. */
  hash: string;
};

export type Page = { json: string[]; continuation: string | null };

export type PageReader = (query: PageQuery, now: number) => Page;

export function createPageReader(options: {
  log: ActionLog;
  personality: Personality;
  continuations: Continuations;
  seed: number;
}): PageReader {
  const { personality, continuations } = options;
  const toStretch = createOrdering(options);
  let walks = 0;
  const firstPosition = (query: PageQuery): WalkPosition => {
    const shuffle = personality.order === 'random' ? mix(options.seed, (walks += 1)) : 0;
    return { page: 1, after: null, shown: 0, shuffle, query: query.hash };
  };

  return (query, now) => {
    const sent = personality.continuation.kind === 'none' ? null : query.continuation;
    const position = sent === null ? firstPosition(query) : continuations.open(sent, query.hash, now);
    const limit = limitOf(position.page, query.limit, personality);
    // A page of one entry would repeat it forever.
    const inclusive = personality.continuation.kind === 'inclusive' && limit > 1;
    const isByOffset = personality.continuation.position === 'offset';
    const skip = Math.max(0, position.shown - Number(inclusive));
    const { taken, more } = take(toStretch(position, query, now), {
      after: isByOffset ? null : position.after,
      skip,
      inclusive,
      limit,
      accepts: (entry) => entry.visibleAt <= now && query.accepts(entry),
    });
    const isHeldBack = taken.length > 0 && isEmptyPage(position.page, personality);
    const shown = isHeldBack ? [] : taken;
    const next = {
      ...position,
      page: position.page + 1,
      after: placeOf(shown.at(-1)) ?? position.after,
      shown: isByOffset && shown.length > 0 ? skip + shown.length : position.shown,
    };
    return {
      json: inShownOrder(shown, personality, position.page).map(({ entry }) => entry.json),
      continuation: continuations.give(next, { more: more || isHeldBack, sent, now }),
    };
  };
}

const MAX_SHUFFLES = 32;

/** The stretch that a walk reads. A walk shuffles once and caches the result: its pages share one set of entries. */
function createOrdering({
  log,
  personality,
}: {
  log: ActionLog;
  personality: Personality;
}): (position: WalkPosition, query: PageQuery, now: number) => Stretch {
  const shuffles = new Map<string, Placed[]>();
  return (position, query, now) => {
    const stretch = stretchOf(log.around(query.about), query.range, personality.order === 'descending' ? -1 : 1);
    if (personality.order !== 'random') return stretch;
    const name = `${position.shuffle} ${query.hash}`;
    const placed = shuffles.get(name) ?? shuffled(visibleIn(stretch, query, now), position.shuffle);
    shuffles.set(name, placed);
    const [oldest] = shuffles.keys();
    if (shuffles.size > MAX_SHUFFLES && oldest !== undefined) shuffles.delete(oldest);
    return { placed, from: 0, to: placed.length, step: 1 };
  };
}

function visibleIn({ placed, from, to }: Stretch, query: PageQuery, now: number): Placed[] {
  return placed.slice(from, to).filter(({ entry }) => entry.visibleAt <= now && query.accepts(entry));
}

function limitOf(page: number, limit: number, { pages }: Personality): number {
  const isShort = pages.shortEvery !== undefined && page % pages.shortEvery === 0;
  return isShort ? Math.max(1, Math.floor(limit / 2)) : limit;
}

function isEmptyPage(page: number, { pages }: Personality): boolean {
  return pages.emptyEvery !== undefined && page % pages.emptyEvery === 0;
}

function inShownOrder(page: Placed[], { pages }: Personality, number: number): Placed[] {
  if (pages.shown === undefined) return page;
  return pages.shown === 'reversed' ? page.toReversed() : shuffled(page, number);
}

function placeOf(item: Placed | undefined): { key: number; serial: number } | null {
  return item ? { key: item.key, serial: item.serial } : null;
}
