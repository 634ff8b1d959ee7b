// A log without HTTP, and its pages one by one.
import { createContinuations } from '../../../../../infra/membership-service/action-log/continuation.ts';
import { noJournal } from '../../../../../infra/membership-service/journal/journal.ts';
import { createPageReader, type Page } from '../../../../../infra/membership-service/action-log/page.ts';
import { personalities } from '../../../../../infra/membership-service/personality/personalities.ts';
import type { Personality } from '../../../../../infra/membership-service/personality/personality.ts';
import { toPageQuery } from '../../../../../infra/membership-service/resources/action-logs.ts';
import { createState, type State } from '../../../../../infra/membership-service/journal/state.ts';

export const NOON = Date.parse('2026-06-15T12:00:00Z');

export type Knobs = {
  [Knob in keyof Personality]?: Personality[Knob] extends object ? Partial<Personality[Knob]> : Personality[Knob];
};

/** The ordinary personality with some settings changed. */
export function personalityWith(knobs: Knobs): Personality {
  const turned = Object.entries(personalities.ordinary).map(([knob, value]) => {
    const given = knobs[knob as keyof Personality];
    return [knob, typeof given === 'object' ? { ...(value as object), ...given } : (given ?? value)];
  });
  return Object.fromEntries(turned) as Personality;
}

export type Log = {
  state: State;
  /** Writes an entry for an action `seconds` after noon. */
  writeAt(seconds: number, actionKey?: string): void;
  page(parameters?: Record<string, string>): Page;
  /** All pages up to the end, at most `max`. */
  walk(parameters?: Record<string, string>, most?: number): Page[];
  clock: { now: number };
};

export function logOf(knobs: Knobs = {}): Log {
  const personality = personalityWith(knobs);
  const clock = { now: NOON + 3_600_000 };
  const state = createState({ seed: 7, personality, journal: noJournal, clock: () => clock.now });
  const continuations = createContinuations(personality);
  const read = createPageReader({ log: state.log, personality, continuations, seed: 7 });
  const page: Log['page'] = (parameters = {}) =>
    read(toPageQuery(new URLSearchParams(parameters), personality, state.zone), clock.now);
  const walk: Log['walk'] = (parameters = {}, max = 100) => {
    const pages = [page(parameters)];
    for (let next = pages[0]?.continuation; next && pages.length < max; next = pages.at(-1)?.continuation) {
      pages.push(page({ ...parameters, requestContinuation: next }));
    }
    return pages;
  };
  const writeAt: Log['writeAt'] = (seconds, actionKey = `Deed${seconds}`) => {
    state.commit([{ actionKey, member: null, performedBy: 'Ada', details: {}, at: NOON + seconds * 1000 }]);
  };
  return { state, writeAt, page, walk, clock };
}

/** A log of `count` entries, `Deed1` to `Deed<count>`, a second apart. */
export function logOfDeeds(count: number, knobs: Knobs = {}): Log {
  const log = logOf(knobs);
  for (let second = 1; second <= count; second += 1) log.writeAt(second);
  return log;
}

/** The numbers of the deeds that pages show, page by page. */
export function deedsOf(pages: readonly Page[]): number[][] {
  return pages.map(({ json }) => json.map((text) => Number(/"Deed(\d+)"/u.exec(text)?.[1])));
}

export function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at + 1);
}
