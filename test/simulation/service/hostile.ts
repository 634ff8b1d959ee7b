// A service that keeps to the interface document and to nothing else: every knob of a personality, drawn from the seed.
import type { ContinuationKind, Personality } from '../../../infra/membership-service/personality/personality.ts';
import {
  longFieldNames,
  personalities,
  shortFieldNames,
} from '../../../infra/membership-service/personality/personalities.ts';
import type { Chance } from '../chance.ts';
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
export function drawPersonality(chance: Chance, kinds: readonly ContinuationKind[] = KINDS): Personality {
  const kind = chance.pick(kinds);
  const form = chance.pick(['utc', 'offset', 'wall', 'unix'] as const);
  const ids = chance.pick(['uuid', 'uuid', 'numericBeyond2to53', 'none'] as const);
  // A window that a filter does not bound is only ever read by walking through all of it.
  const isWalkable = kind !== 'none' && kind !== 'expiring' && ids !== 'none';
  const maximum = drawMaximum(chance);
  return {
    ...personalities.ordinary,
    name: 'hostile',
    order: chance.pick(['ascending', 'descending', 'random']),
    continuation: drawContinuation(chance, kind),
    ids,
    fieldNames: chance.happens(0.5) ? longFieldNames : shortFieldNames,
    stamps: {
      form,
      fractionDigits: form === 'unix' ? 0 : chance.pick([0, 0, 3, 7]),
      timeZone: chance.pick(ZONES),
    },
    filters: {
      startInclusive: chance.happens(0.7),
      endInclusive: chance.happens(0.7),
      zone: form === 'wall' ? chance.pick(['honours', 'ignoresOffset', 'rejectsOffset']) : 'honours',
      dateOnly: isWalkable && maximum >= 25 && chance.happens(0.1),
      ignoresStart: isWalkable && maximum >= 25 && chance.happens(0.1),
      ignoresEnd: isWalkable && maximum >= 25 && chance.happens(0.15),
    },
    pages: {
      maximum,
      default: maximum,
      overMaximum: chance.pick(['clamp', 'refuse']),
      ...(chance.happens(0.3) ? { shortEvery: chance.between(2, 4) } : {}),
      ...(chance.happens(0.3) ? { emptyEvery: chance.between(2, 4) } : {}),
      ...(kind === 'none' && chance.happens(0.6) ? { shown: chance.pick(['reversed', 'shuffled']) } : {}),
    },
    lateness: chance.happens(0.3)
      ? { share: 0.15, maxMs: chance.pick([100_000, 90 * 60_000, 12 * 3_600_000]) }
      : { share: 0, maxMs: 0 },
    futureDated: chance.happens(0.3) ? { share: 0.05, aheadMs: 6 * 3_600_000 } : { share: 0, aheadMs: 0 },
    duplicates: { share: ids === 'none' && chance.happens(0.6) ? 0.08 : 0 },
    clockSkewMs: chance.pick([0, 0, 0, -300_000, 300_000]),
  };
}

function drawContinuation(chance: Chance, kind: ContinuationKind): Personality['continuation'] {
  const place = chance.pick([
    { in: 'body', name: 'requestContinuation' },
    { in: 'body', name: 'nextContinuation' },
    { in: 'header', name: 'x-request-continuation' },
  ] as const);
  return {
    ...personalities.ordinary.continuation,
    kind,
    lifetimeMs: chance.pick([400, 2_000, 60_000]),
    place,
    atEnd: chance.pick(['null', 'absent', 'empty', 'blank', 'textNull']),
    boundToQuery: chance.happens(0.8),
    alphabet: CONTINUATION_MARK + chance.pick(['', '+/=#&%"{}', 'é漢🙂']),
    length: chance.pick([0, 0, 400, 3_000]),
    refusedWith: chance.pick([400, 404, 410]),
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

/** Filters do not bound a window: it is read by walking through all of the log, or of a day. */
export function isUnbounded({ filters }: Pick<Personality, 'filters'>): boolean {
  return filters.dateOnly || filters.ignoresStart || filters.ignoresEnd;
}
