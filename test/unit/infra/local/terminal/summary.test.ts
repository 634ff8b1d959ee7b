import { describe, expect, test } from 'vitest';
import { canonicalJson, parseJson, sha256Hex } from '../../../../../functions/shared/json.ts';
import { summarise, summaryLine, summaryOfAll } from '../../../../../infra/local/terminal/summary.ts';

const entry = (json: string, createdAt = 1000) => ({ json, createdAt });

function event(
  json: string,
  { id = json, sourceId = 'acme', source = 'membership.actionlog', acceptedAt = 2000 } = {},
) {
  const entrySha256 = sha256Hex(canonicalJson(parseJson(json)));
  return { source, acceptedAt, detail: { metadata: { id, sourceId, entrySha256 }, data: null } };
}

const nothing = {
  sourceId: 'acme',
  entries: [],
  events: [],
  quarantined: [],
  count: { from: null, to: null },
  sessionFrom: 0,
};

describe('summary', () => {
  test('counts an entry without an event as lost, in any order of its keys', () => {
    const entries = [entry('{"a":1,"b":9007199254740993}'), entry('{"a":2}')];

    const summary = summarise({ ...nothing, entries, events: [event('{"b":9007199254740993,"a":1}')] });

    expect(summary).toMatchObject({ events: 1, lost: 1, duplicates: 0, overCounted: 0 });
  });

  test('I2 counts an event with an id seen before as a duplicate', () => {
    const events = [event('{"a":1}'), event('{"a":1}'), event('{"a":1}')];

    const summary = summarise({ ...nothing, entries: [entry('{"a":1}')], events });

    expect(summary).toMatchObject({ events: 3, lost: 0, duplicates: 2, overCounted: 0 });
  });

  test('counts copies: a missing one is lost, an additional one is over-counted', () => {
    const entries = [entry('{"a":1}'), entry('{"a":1}'), entry('{"b":1}')];
    const events = [event('{"a":1}'), event('{"b":1}', { id: 'first' }), event('{"b":1}', { id: 'second' })];

    const summary = summarise({ ...nothing, entries, events });

    expect(summary).toMatchObject({ events: 3, lost: 1, duplicates: 0, overCounted: 1 });
  });

  test('leaves out events that are not of an entry', () => {
    const others = [{}, { metadata: null }, { metadata: 'x' }].map((detail) => ({
      source: 'membership.actionlog',
      acceptedAt: 1,
      detail,
    }));

    expect(summarise({ ...nothing, events: others })).toMatchObject({ events: 0, lost: 0, duplicates: 0 });
  });

  test('requires only entries within the bounds, but accepts others', () => {
    const entries = [entry('{"a":1}', 10), entry('{"a":2}', 20), entry('{"a":3}', 30), entry('{"a":4}', 40)];

    const summary = summarise({ ...nothing, entries, events: [event('{"a":1}')], count: { from: 20, to: 30 } });

    expect(summary).toMatchObject({ events: 1, lost: 2, overCounted: 0 });
  });

  test('does not count an entry in quarantine as lost, once', () => {
    const quarantined = ['{"a":1}', '{"a":2}'].map((json) => event(json).detail.metadata);

    const summary = summarise({
      ...nothing,
      entries: [entry('{"a":1}'), entry('{"a":2}')],
      events: [event('{"a":2}')],
      quarantined,
    });

    expect(summary).toMatchObject({ lost: 0, quarantined: 1, overCounted: 0, duplicates: 0 });
  });

  test('ignores notices and other sources', () => {
    const events = [event('{"a":1}', { sourceId: 'other' }), event('{"a":1}', { source: 'membership.bridge' })];

    const summary = summarise({ ...nothing, entries: [entry('{"a":1}')], events });

    expect(summary).toMatchObject({ events: 0, lost: 1 });
  });

  test('has the median latency of first arrivals in this session', () => {
    const entries = [entry('{"a":1}', 0), entry('{"a":2}', 100), entry('{"a":3}', 200), entry('{"a":4}', 200)];
    const events = [
      event('{"a":1}', { acceptedAt: 50 }),
      event('{"a":2}', { acceptedAt: 110 }),
      event('{"a":2}', { acceptedAt: 9999 }),
      event('{"a":3}', { acceptedAt: 230 }),
      event('{"a":4}', { acceptedAt: 700 }),
    ];

    const { p50LatencyMs } = summarise({ ...nothing, entries, events, sessionFrom: 100 });

    expect(p50LatencyMs).toBe(30);
  });

  test('is one line that mentions quarantine and over-counting only if there is any', () => {
    const plain = { events: 12, lost: 0, duplicates: 1, overCounted: 0, quarantined: 0, p50LatencyMs: 811.5 };

    const lines = [plain, { ...plain, overCounted: 2, quarantined: 3, p50LatencyMs: null }].map(summaryLine);

    expect(lines).toEqual([
      'events: 12, lost: 0, duplicates: 1, p50 latency: 812 ms',
      'events: 12, lost: 0, duplicates: 1, p50 latency: none, in quarantine: 3, over-counted duplicates: 2',
    ]);
  });

  test('of several sources is their sum, with the median of their latencies', () => {
    const entries = [entry('{"a":1}'), entry('{"a":2}')];
    const quarantined = [{ id: 'q', entrySha256: sha256Hex('{"a":2}') }];
    const one = summarise({ ...nothing, entries, events: [event('{"a":1}'), event('{"a":1}', { id: 'x' })] });
    const other = summarise({ ...nothing, entries, quarantined, events: [event('{"a":1}', { acceptedAt: 4000 })] });
    const none = summarise({ ...nothing, entries });

    expect(summaryOfAll([one, other, none])).toEqual({
      events: 3,
      lost: 3,
      duplicates: 0,
      overCounted: 1,
      quarantined: 1,
      p50LatencyMs: 2000,
    });
  });
});
