// The entries that the pages have shown, placed in time: what all other facts are drawn from. Pure.
import { findContinuation, type Continuation } from '../../../membership/continuation.ts';
import type { ActionLogPage } from '../../../membership/action-log.ts';
import type { Stamp } from '../../../membership/timestamps.ts';
import {
  identifyPage,
  identityFieldsOf,
  type IdentifiedEntry,
  type IdentityFields,
} from '../../../poller/identity/identify.ts';
import { learnFields } from '../../../poller/learn/fields.ts';
import { learnStamps } from '../../../poller/learn/stamps.ts';
import type { JsonObject } from '../../../shared/json.ts';
import { emptyProfile, type ServiceProfile } from '../../../source/service-profile.ts';
import type { SourceSettings } from '../../../source/settings.ts';
import type { Exchange } from '../exchange.ts';
import { axisOf, orderOf, type Order } from './order.ts';
import { timeByValue } from './time-field.ts';

/** A page that was answered, with its entries as the bridge identifies them. */
export type MetPage = Omit<Exchange, 'answer'> & {
  page: ActionLogPage;
  entries: IdentifiedEntry[];
  /** The continuation as the bridge finds it. */
  continuation: Continuation;
  order: Order | null;
};

export type Met = {
  settings: SourceSettings;
  pages: MetPage[];
  exchanges: readonly Exchange[];
  /** Where the time of an entry is, and how it was found. */
  time: { pointer: string; by: 'setting' | 'name' | 'value' } | null;
  /** What the bridge would learn of the stamps. */
  profile: ServiceProfile;
  /** Different stamps of all pages, by their place on the axis, ascending. */
  stamps: Stamp[];
};

/** Reads the exchanges so far. */
export function meet(exchanges: readonly Exchange[], given: SourceSettings): Met {
  const answered = exchanges.flatMap((exchange) =>
    'page' in exchange.answer ? [{ ...exchange, ...exchange.answer }] : [],
  );
  const time = findTime(
    answered.map(({ page }) => page.entries),
    given,
  );
  // Not by the id of the settings: whether that tells entries apart is to be found out.
  const settings = { ...given, fields: { ...given.fields, id: null, occurredAt: time?.pointer ?? null } };
  const identity = identityFieldsOf(emptyProfile(), settings);
  const pages = answered.map(({ answer: _answer, ...exchange }) => {
    const entries = identified(exchange.page, identity);
    return {
      ...exchange,
      entries,
      continuation: continuationIn(exchange.page, exchange.query.requestContinuation, given),
      order: orderOf(entries),
    };
  });
  const profile = pages.reduce((before, { entries }) => learnStamps(before, entries).profile, emptyProfile());
  return { settings: given, pages, exchanges, time, profile, stamps: stampsOf(pages) };
}

const known = new WeakMap<ActionLogPage, { timeField: string | null; entries: IdentifiedEntry[] }>();

/** Each answer is met again and again: its entries are identified once. */
function identified(page: ActionLogPage, fields: IdentityFields): IdentifiedEntry[] {
  const before = known.get(page);
  if (before !== undefined && before.timeField === fields.timeField) return before.entries;
  const entries = identifyPage(page.entries, fields);
  known.set(page, { timeField: fields.timeField, entries });
  return entries;
}

function continuationIn(page: ActionLogPage, sent: string | undefined, { fields }: SourceSettings): Continuation {
  return findContinuation(page, fields.continuation, { sent: sent ?? null, fixed: fields.continuation !== null });
}

function findTime(pages: readonly JsonObject[][], settings: SourceSettings): Met['time'] {
  if (settings.fields.occurredAt !== null) return { pointer: settings.fields.occurredAt, by: 'setting' };
  const entries = pages.find(({ length }) => length > 0) ?? [];
  const byName = learnFields(emptyProfile(), entries, settings).profile.fields.time;
  if (byName !== null) return { pointer: byName, by: 'name' };
  const byValue = timeByValue(entries, settings.timeZone);
  return byValue === null ? null : { pointer: byValue, by: 'value' };
}

/** The different stamps of pages, by text, ascending. */
export function stampsOf(pages: readonly Pick<MetPage, 'entries'>[]): Stamp[] {
  const stamps = pages.flatMap(({ entries }) => entries.flatMap(({ stamp }) => (stamp === null ? [] : [stamp])));
  const different = new Map(stamps.map((stamp) => [stamp.text, stamp]));
  return [...different.values()].toSorted((a, b) => axisOf(a) - axisOf(b) || (a.text < b.text ? -1 : 1));
}
