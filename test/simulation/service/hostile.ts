// A service that keeps to the interface document and to nothing else: every knob of a personality, drawn from the seed.
import type { ContinuationKind, Personality } from '../../../infra/membership-service/personality/personality.ts';
import {
  longFieldNames,
  personalities,
  shortFieldNames,
} from '../../../infra/membership-service/personality/personalities.ts';
import type { Chance, ChanceOf } from '../chance.ts';
import { CONTINUATION_MARK } from '../secrets.ts';

export const KINDS: readonly ContinuationKind[] = [
  'resumable',
  'none',
  'neverNull',
  'inclusive',
  'expiring',
  'cyclic',
  'sameToken',
];
/** Ahead of UTC and behind it, by quarter hours too, with and without daylight saving, on either half of the globe. */
const ZONES = [
  'Europe/Amsterdam',
  'America/New_York',
  'Europe/Istanbul',
  'Asia/Kathmandu',
  'Pacific/Auckland',
  'Australia/Lord_Howe',
];

/**
 * Draws a personality. Left out is what nobody could read without a loss, as `docs/membership-service.md` says where it
 * is assumed: filters by whole days, or none at all, of a service whose walks cannot be gone on with; entries later
 * than the reconcile sweep looks back; entries of one id that differ, in one five minutes.
 */
export function drawPersonality(of: ChanceOf, kinds: readonly ContinuationKind[] = KINDS): Personality {
  const kind = of('continuation kind').pick(kinds);
  const form = of('stamp form').pick(['utc', 'offset', 'wall', 'unix'] as const);
  const ids = of('ids').pick(['uuid', 'uuid', 'numericBeyond2to53', 'none'] as const);
  // A window that a filter does not bound is only ever read by walking through all of it.
  const isWalkable = kind !== 'none' && kind !== 'expiring' && ids !== 'none';
  const maximum = drawMaximum(of('largest page'));
  return {
    ...personalities.ordinary,
    name: 'hostile',
    order: of('order').pick(['ascending', 'descending', 'random']),
    continuation: drawContinuation(of, kind),
    ids,
    fieldNames: of('field names').happens(0.5) ? longFieldNames : shortFieldNames,
    stamps: {
      form,
      fractionDigits: form === 'unix' ? 0 : of('stamp fraction').pick([0, 0, 3, 7]),
      timeZone: of('zone').pick(ZONES),
    },
    filters: {
      startInclusive: of('start inclusive').happens(0.7),
      endInclusive: of('end inclusive').happens(0.7),
      zone: form === 'wall' ? of('filter zone').pick(['honours', 'ignoresOffset', 'rejectsOffset']) : 'honours',
      dateOnly: isWalkable && maximum >= 25 && of('days only').happens(0.1),
      ignoresStart: isWalkable && maximum >= 25 && of('ignored start').happens(0.1),
      ignoresEnd: isWalkable && maximum >= 25 && of('ignored end').happens(0.15),
    },
    pages: {
      maximum,
      default: maximum,
      overMaximum: of('beyond the largest page').pick(['clamp', 'refuse']),
      ...drawEvery(of('short pages'), 'shortEvery'),
      ...drawEvery(of('empty pages'), 'emptyEvery'),
      ...(kind === 'none' ? drawShown(of('shown order')) : {}),
    },
    lateness: drawLateness(of('lateness')),
    futureDated: of('stamps ahead').happens(0.3) ? { share: 0.05, aheadMs: 6 * 3_600_000 } : { share: 0, aheadMs: 0 },
    duplicates: { share: ids === 'none' && of('copies').happens(0.6) ? 0.08 : 0 },
    clockSkewMs: of('clock').pick([0, 0, 0, -300_000, 300_000]),
  };
}

function drawEvery<Name extends string>(chance: Chance, name: Name): { [Key in Name]?: number } {
  return chance.happens(0.3) ? ({ [name]: chance.between(2, 4) } as { [Key in Name]: number }) : {};
}

function drawShown(chance: Chance): Pick<Personality['pages'], 'shown'> {
  return chance.happens(0.6) ? { shown: chance.pick(['reversed', 'shuffled']) } : {};
}

function drawLateness(chance: Chance): Personality['lateness'] {
  if (!chance.happens(0.3)) return { share: 0, maxMs: 0 };
  return { share: 0.15, maxMs: chance.pick([100_000, 90 * 60_000, 12 * 3_600_000]) };
}

function drawContinuation(of: ChanceOf, kind: ContinuationKind): Personality['continuation'] {
  const place = of('continuation place').pick([
    { in: 'body', name: 'requestContinuation' },
    { in: 'body', name: 'nextContinuation' },
    { in: 'header', name: 'x-request-continuation' },
  ] as const);
  return {
    ...personalities.ordinary.continuation,
    kind,
    lifetimeMs: of('continuation life').pick([400, 2_000, 60_000]),
    place,
    atEnd: of('end').pick(['null', 'absent', 'empty', 'blank', 'textNull']),
    boundToQuery: of('continuation binding').happens(0.8),
    alphabet: CONTINUATION_MARK + of('continuation alphabet').pick(['', '+/=#&%"{}', 'é漢🙂']),
    length: of('continuation length').pick([0, 0, 400, 3_000]),
    refusedWith: of('refusal').pick([400, 404, 410]),
  };
}

/**
 * Half of the services without continuations show on every page what stands at the end of a walk elsewhere (S70). By a
 * stream of its own.
 */
export function withShownEnd(chance: Chance, personality: Personality): Personality {
  const { continuation } = personality;
  if (continuation.kind !== 'none') return personality;
  return { ...personality, continuation: { ...continuation, showsEnd: chance.happens(0.5) } };
}

/** A third of the services refuses a token as if something else were wrong (S71). By a stream of its own. */
export function withDeath(chance: Chance, personality: Personality): Personality {
  const refusedWith = chance.pick([200, 401, 403, 500, 503] as const);
  if (!chance.happens(1 / 3)) return personality;
  return { ...personality, continuation: { ...personality.continuation, refusedWith } };
}

/** Most services give pages of some size; some give pages of a handful. */
export function drawMaximum(chance: Chance): number {
  return chance.pick([7, 25, 100, 100, 250, 500]);
}

/** The page size that the bridge ends up with: a size that was refused is not asked for again. */
export function takenSize({ maximum, overMaximum }: Personality['pages'], asked: number): number {
  if (asked <= maximum || overMaximum === 'clamp') return Math.min(asked, maximum);
  return [50, 20, 10, 5].find((size) => size <= maximum) ?? 1;
}

/** The largest page that the bridge may get. */
export function largestSize(pages: Personality['pages'], asked: number): number {
  return pages.overMaximum === 'clamp' ? pages.maximum : takenSize(pages, asked);
}

/** Filters do not bound a window: it is read by walking through all of the log, or of a day. */
export function isUnbounded({ filters }: Pick<Personality, 'filters'>): boolean {
  return filters.dateOnly || filters.ignoresStart || filters.ignoresEnd;
}
