import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openDurableMap } from '../../../../../infra/local/cloud/durable-map.ts';
import { Queue } from '../../../../../infra/local/sqs/queue.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'membership-event-bridge-'));
  vi.useFakeTimers({ now: 0 });
  return () => {
    vi.useRealTimers();
    rmSync(folder, { recursive: true, force: true });
  };
});

const SECOND_MS = 1_000;
const definition = {
  name: 'dead',
  arn: 'arn:aws:sqs:eu-central-1:123456789012:dead',
  retentionMs: 60 * SECOND_MS,
  visibilityMs: 30 * SECOND_MS,
  delayMs: 0,
  waitMs: 0,
  maximumBytes: 1_048_576,
  redrive: null,
};

function open(): Queue {
  const queue = new Queue(definition, join(folder, 'dead.ndjson'));
  onTestFinished(() => queue.close());
  return queue;
}

const ask = { max: 10, visibilityMs: 30 * SECOND_MS, waitMs: 0 };
const bodies = (messages: readonly { body: string }[]) => messages.map(({ body }) => body);

describe('durable map', () => {
  test('has what was set and not deleted when its writer was killed, in the order in which the keys came', () => {
    const file = join(folder, 'map');
    const map = openDurableMap<number>(file);
    map.set('a', 1);
    map.set('b', 2);
    map.set('c', 3);
    map.set('a', 4);
    map.delete('b');
    map.close();
    appendFileSync(file, '{"key":"d","val');

    const again = openDurableMap<number>(file);
    onTestFinished(() => again.close());

    expect(again.entries()).toEqual([
      ['a', 4],
      ['c', 3],
    ]);
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(3);
  });

  test('does not grow for ever while all of it is deleted again', () => {
    const file = join(folder, 'map');
    const map = openDurableMap<string>(file);
    onTestFinished(() => map.close());

    for (let round = 0; round < 30; round += 1) {
      map.set('a', 'x'.repeat(100_000));
      map.delete('a');
    }
    map.set('b', 'kept');

    expect(statSync(file).size).toBeLessThan(1_200_000);
    expect(openDurableMap<string>(file).entries()).toEqual([['b', 'kept']]);
  });

  test('says what to do about a file that it cannot read', () => {
    const file = join(folder, 'map');
    appendFileSync(file, 'rubbish\n');

    expect(() => openDurableMap(file)).toThrow(/map cannot be read. Start once with --fresh/);
  });
});

describe('queue', () => {
  test('hands a message out once, and again when nobody has deleted it in its time', async () => {
    const queue = open();
    queue.send('one', {});

    const [first] = await queue.receive(ask);
    vi.advanceTimersByTime(29 * SECOND_MS);
    const hidden = await queue.receive(ask);
    vi.advanceTimersByTime(SECOND_MS);
    const [second] = await queue.receive(ask);

    expect(hidden).toEqual([]);
    expect([first, second]).toMatchObject([
      { body: 'one', receiveCount: 1, firstReceivedAt: 0 },
      { body: 'one', receiveCount: 2, firstReceivedAt: 0 },
    ]);
  });

  test('deletes by the receipt of the last time alone', async () => {
    const queue = open();
    queue.send('one', {});
    const [first] = await queue.receive({ ...ask, visibilityMs: 0 });
    const [second] = await queue.receive({ ...ask, visibilityMs: 0 });

    const states = [queue.delete(first?.receipt ?? ''), queue.counts().visible];
    states.push(queue.delete(second?.receipt ?? ''), queue.counts().visible, queue.delete('rubbish'));

    expect(states).toEqual(['late', 1, 'held', 0, 'unknown']);
  });

  test('counts what is visible, in hands, and delayed', async () => {
    const queue = open();
    queue.send('one', {});
    queue.send('two', {});
    queue.send('three', {}, 5 * SECOND_MS);
    await queue.receive({ ...ask, max: 1 });

    expect(queue.counts()).toEqual({ visible: 1, inFlight: 1, delayed: 1 });
    vi.advanceTimersByTime(30 * SECOND_MS);
    expect(queue.counts()).toEqual({ visible: 3, inFlight: 0, delayed: 0 });
  });

  test('gives the oldest first, as many as are asked for', async () => {
    const queue = open();
    for (const body of ['one', 'two', 'three']) queue.send(body, {});

    expect(bodies(await queue.receive({ ...ask, max: 2 }))).toEqual(['one', 'two']);
  });

  test('forgets what is older than its retention', async () => {
    const queue = open();
    queue.send('old', {});
    vi.advanceTimersByTime(59 * SECOND_MS);
    queue.send('new', {});

    vi.advanceTimersByTime(SECOND_MS);

    expect(queue.counts().visible).toBe(1);
    expect(bodies(await queue.receive(ask))).toEqual(['new']);
  });

  test('lets a receiver wait until a message comes, and no longer', async () => {
    const queue = open();
    const waiting = queue.receive({ ...ask, waitMs: 20 * SECOND_MS });
    await vi.advanceTimersByTimeAsync(5 * SECOND_MS);

    queue.send('one', {});

    expect(bodies(await waiting)).toEqual(['one']);
    expect(Date.now()).toBe(5 * SECOND_MS);
  });

  test('lets a receiver wait for a message that comes back, and for none at most as long as it said', async () => {
    const queue = open();
    queue.send('one', {});
    await queue.receive({ ...ask, visibilityMs: 3 * SECOND_MS });

    const back = queue.receive({ ...ask, waitMs: 20 * SECOND_MS });
    await vi.advanceTimersByTimeAsync(3 * SECOND_MS);
    const none = queue.receive({ ...ask, waitMs: 20 * SECOND_MS });
    await vi.advanceTimersByTimeAsync(20 * SECOND_MS);

    expect(bodies(await back)).toEqual(['one']);
    expect(await none).toEqual([]);
  });

  test('ends the waiting when it is closed', async () => {
    const queue = new Queue(definition, join(folder, 'dead.ndjson'));
    const waiting = queue.receive({ ...ask, waitMs: 20 * SECOND_MS });

    queue.close();

    expect(await waiting).toEqual([]);
  });

  test('changes how long a message in hands stays away, and tells one that is in none', async () => {
    const queue = open();
    queue.send('one', {});
    const [received] = await queue.receive(ask);
    const receipt = received?.receipt ?? '';

    const held = queue.changeVisibility(receipt, 0);
    const late = queue.changeVisibility(receipt, 5 * SECOND_MS);

    expect([held, late, queue.counts().visible]).toEqual(['held', 'late', 1]);
  });

  test('has its messages, their receipts and counts when it is opened again', async () => {
    const before = new Queue(definition, join(folder, 'dead.ndjson'));
    before.send('one', { Kind: { DataType: 'String', StringValue: 'x' } });
    before.send('two', {});
    const [received] = await before.receive({ ...ask, max: 1 });
    before.close();

    const after = open();

    expect(after.counts()).toEqual({ visible: 1, inFlight: 1, delayed: 0 });
    expect(after.delete(received?.receipt ?? '')).toBe('held');
    vi.advanceTimersByTime(30 * SECOND_MS);
    expect(await after.receive(ask)).toMatchObject([{ body: 'two', receiveCount: 1 }]);
  });
});
