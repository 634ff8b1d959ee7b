import { beforeEach, describe, expect, it } from 'vitest';
import type { Channel, Outcome } from '../../../../functions/consumers/notifier/channels/channel.ts';
import type { Delivery } from '../../../../functions/consumers/notifier/deliver.ts';
import { drainWeekly, lastDue } from '../../../../functions/consumers/notifier/weekly.ts';
import { anEvent, idOf } from './events.ts';
import { createMemoryQueue, createMemoryStore } from './memory.ts';

const DAY_MS = 86_400_000;
const WEEK = { digestOn: 'Monday', timeZone: 'Europe/Amsterdam' } as const;
/** 08:00 in Amsterdam. */
const MONDAY = Date.parse('2026-11-23T07:00:00Z');

describe('the digest that was last due', () => {
  it.each([
    ['2026-11-23T07:00:00Z', '2026-11-23'],
    ['2026-11-24T07:00:00Z', '2026-11-23'],
    ['2026-11-29T07:00:00Z', '2026-11-23'],
    ['2026-11-30T07:00:00Z', '2026-11-30'],
    // Monday in Amsterdam, and still Sunday in UTC.
    ['2026-11-22T23:30:00Z', '2026-11-23'],
    ['2026-11-22T22:30:00Z', '2026-11-16'],
    ['2027-01-01T07:00:00Z', '2026-12-28'],
  ])('of Mondays at %s is that of %s', (at, date) => {
    expect(lastDue(Date.parse(at), WEEK)).toBe(date);
  });

  it('of Sundays on a Monday is that of the day before', () => {
    expect(lastDue(MONDAY, { ...WEEK, digestOn: 'Sunday' })).toBe('2026-11-22');
  });
});

describe('a weekly digest', () => {
  let now: number;
  let sent: [day: string, changes: number][];
  let outcome: () => Promise<Outcome>;
  let disabled: boolean;
  const clock = { now: () => now, sleep: async () => {}, random: () => 0 };
  let queue: ReturnType<typeof createMemoryQueue>;
  let delivery: Delivery;
  let events = 0;

  beforeEach(() => {
    [now, sent, disabled] = [MONDAY, [], false];
    outcome = async () => ({ kind: 'sent', answer: 'ok' });
    queue = createMemoryQueue(clock, { visibilityMs: 55_000 });
    const channel: Channel = {
      name: 'board',
      service: 'Slack',
      check: async () => (disabled ? { kind: 'not-set' } : null),
      async send(changes) {
        sent.push([new Date(now).toUTCString().slice(0, 3), changes.length]);
        return await outcome();
      },
    };
    const silent = () => {};
    const log = { debug: silent, info: silent, warn: silent, error: silent };
    const store = createMemoryStore(clock);
    delivery = { channel, reading: {}, others: [], store, clock, log, owner: '', deadlineAt: 0 };
  });

  /** The schedule of a day: a change has come since the day before. */
  async function day(options: { attempt?: number } = {}) {
    events += 1;
    const id = idOf(`event ${events}`);
    if (options.attempt === undefined) queue.send(id, JSON.stringify(anEvent({ id })));
    const one = { ...delivery, owner: `${now} ${options.attempt ?? 0}`, deadlineAt: now + 57_000 };
    return await drainWeekly(queue, one, { ...WEEK, at: now });
  }

  it('is sent on its day only, with everything since the last one', async () => {
    for (let days = 0; days <= 14; days += 1) {
      await day();
      now += DAY_MS;
    }

    expect(sent).toEqual([
      ['Mon', 1],
      ['Mon', 7],
      ['Mon', 7],
    ]);
  });

  it('is not due on other days, and then receives nothing', async () => {
    await day();
    now += DAY_MS;

    expect(await day()).toEqual({ channel: 'board', outcome: 'not-due', messages: 0 });
    expect(queue.count()).toBe(1);
  });

  it('that fails is retried at once, and else on the next days, so that no change gets older than SQS keeps it', async () => {
    outcome = async () => ({ kind: 'later', at: now });
    await expect(day()).rejects.toMatchObject({ code: 'DeliveryFailed' });
    now += 60_000;
    await expect(day({ attempt: 1 })).rejects.toMatchObject({ code: 'DeliveryFailed' });
    now += DAY_MS - 60_000;
    outcome = async () => ({ kind: 'sent', answer: 'ok' });
    expect(await day()).toMatchObject({ outcome: 'sent', messages: 2 });
    now += DAY_MS;
    expect(await day()).toMatchObject({ outcome: 'not-due' });

    expect(sent.map(([name]) => name)).toEqual(['Mon', 'Mon', 'Tue']);
  });

  it('of a channel without an address is sent on the day after it gets one', async () => {
    disabled = true;
    expect(await day()).toMatchObject({ outcome: 'disabled' });
    now += DAY_MS;
    disabled = false;

    expect(await day()).toMatchObject({ outcome: 'sent', messages: 2 });
  });

  it('is sent once if two invocations are about it', async () => {
    const results = await Promise.all([day(), day({ attempt: 1 })]);

    expect(results.map(({ outcome: end }) => end)).toEqual(['sent', 'not-due']);
    expect(sent).toHaveLength(1);
  });
});
