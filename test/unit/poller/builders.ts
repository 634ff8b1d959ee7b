// Builders for the poller's unit tests: each says only what a test is about, the rest is ordinary.
import { identifyPage, type IdentifiedEntry } from '../../../functions/poller/identity/identify.ts';
import { initialState } from '../../../functions/source/state.ts';
import { openWindow } from '../../../functions/poller/sweep/window.ts';
import { emptyProfile, type ServiceProfile } from '../../../functions/source/service-profile.ts';
import { readSourceSettings, type SourceSettings } from '../../../functions/source/settings.ts';
import type { SourceState, Sweep, Window } from '../../../functions/source/state.ts';
import type { Clock } from '../../../functions/shared/clock.ts';
import type { JsonObject } from '../../../functions/shared/json.ts';
import type { Log, LogFields } from '../../../functions/shared/log.ts';

export const NOW = Date.parse('2026-11-20T12:00:00Z');
export const SECOND = 1_000;
export const MINUTE = 60_000;
export const HOUR = 3_600_000;
export const DAY = 86_400_000;

export function settingsOf(more: Partial<SourceSettings> = {}): SourceSettings {
  const required = { sourceId: 'acme', baseUrl: 'https://api.example.org', timeZone: 'UTC', secretId: 'secret' };
  return { ...readSourceSettings(required, NOW), ...more };
}

/** A profile with some facts of some groups. */
export function profileOf(
  more: { [Group in keyof ServiceProfile]?: Partial<ServiceProfile[Group]> } = {},
): ServiceProfile {
  const { continuation, fields, stamps, filters, pages } = emptyProfile();
  return {
    continuation: { ...continuation, ...more.continuation },
    fields: { ...fields, ...more.fields },
    stamps: { ...stamps, ...more.stamps },
    filters: { ...filters, ...more.filters },
    pages: { ...pages, ...more.pages },
  };
}

export function stateOf(more: Partial<SourceState> = {}): SourceState {
  return { ...initialState(NOW), firstRunAt: NOW, ...more };
}

export function windowOf(more: Partial<Window> = {}): Window {
  return { ...openWindow({ from: null, to: null }), ...more };
}

/** Entries as texts, `x y@-60 z@5#7`: a name, `@` seconds from NOW (`@-` is no stamp), `#` an id where it has one. */
export function entriesOf(text: string): JsonObject[] {
  return text.split(' ').flatMap((word) => {
    const [, name, second = '0', id] = /^([^@#]+)(?:@([^#]+))?(?:#(.+))?$/.exec(word) ?? [];
    if (name === undefined) return [];
    const at = second === '-' ? null : new Date(NOW + Number(second) * SECOND).toISOString().slice(0, 19);
    return [{ ...(id === undefined ? {} : { id }), at, name }];
  });
}

export function sweepOf(more: Partial<Sweep> = {}): Sweep {
  return { id: 'sweep', level: 'recent', startedAt: NOW, queryHash: 'hash', windows: [windowOf()], runs: 0, ...more };
}

/** Entries as a page identifies them, by `id` and stamped by `at`. */
export function identified(...entries: JsonObject[]): IdentifiedEntry[] {
  const fields = { sourceId: 'acme', idField: '/id', refutedIdField: null, timeField: '/at', timeZone: 'UTC' };
  return identifyPage(entries, fields);
}

/** A clock that stands still until somebody sleeps; `slept` are the times slept. */
export function fakeClock(start = NOW): Clock & { advance(ms: number): void; slept: number[] } {
  let now = start;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    advance: (ms) => {
      now += ms;
    },
    sleep: async (ms) => {
      slept.push(ms);
      const until = now + ms;
      await Promise.resolve();
      now = Math.max(now, until);
    },
    random: () => 0.5,
  };
}

/** A log that keeps its lines. */
export function fakeLog(): Log & { lines: { level: string; message: string; fields: LogFields }[] } {
  const lines: { level: string; message: string; fields: LogFields }[] = [];
  const keep =
    (level: string) =>
    (message: string, fields: LogFields = {}): void => {
      lines.push({ level, message, fields });
    };
  return { lines, debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') };
}
