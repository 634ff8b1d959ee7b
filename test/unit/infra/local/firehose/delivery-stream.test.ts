import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DeliveryStream } from '../../../../../infra/local/firehose/delivery-stream.ts';
import { openDeliveryStreams } from '../../../../../infra/local/firehose/delivery-streams.ts';
import { openObjectStore } from '../../../../../infra/local/s3/object-store.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

const NOW = Date.parse('2026-11-20T09:30:15.250Z');

beforeEach(() => void vi.useFakeTimers({ now: NOW }));
afterEach(() => void vi.useRealTimers());

const DEFINITION = {
  name: 'copy',
  arn: 'arn:aws:firehose:eu-central-1:123456789012:deliverystream/copy',
  bucketName: 'audit',
  prefix: 'events/',
  bufferMs: 60_000,
  bufferBytes: 1_000,
};

async function aStream(given?: string) {
  const objects = new Map<string, string>();
  const folder = given ?? (await temporaryFolder());
  const stream = new DeliveryStream({
    definition: DEFINITION,
    folder,
    write: (key, bytes) => void objects.set(key, gunzipSync(bytes).toString('utf8')),
    bufferMs: DEFINITION.bufferMs,
  });
  return { stream, objects, folder };
}

describe('a stream', () => {
  test('buffers records until the oldest reaches the age in the template, then writes an object with a record per line', async () => {
    const { stream, objects } = await aStream();

    stream.put('{"a":1}');
    vi.advanceTimersByTime(59_000);
    stream.put('{"a":"é"}');
    const before = { objects: objects.size, buffered: stream.buffered(), age: stream.age() };
    vi.advanceTimersByTime(1_000);

    expect(before).toEqual({ objects: 0, buffered: ['{"a":1}', '{"a":"é"}'], age: 59_000 });
    expect([...objects.values()]).toEqual(['{"a":1}\n{"a":"é"}\n']);
    expect([stream.buffered(), stream.age()]).toEqual([[], null]);
  });

  test('writes an object at the size in the template, and starts a new buffer', async () => {
    const { stream, objects } = await aStream();

    stream.put('x'.repeat(997));
    const before = objects.size;
    stream.put('y');
    stream.put('z');

    expect(before).toBe(0);
    expect([...objects.values()]).toEqual([`${'x'.repeat(997)}\ny\n`]);
    expect(stream.buffered()).toEqual(['z']);
  });

  test('keeps its records while the bucket refuses them, and writes all of them afterwards', async () => {
    const { stream, objects } = await aStream();

    stream.refuse(true);
    stream.put('{"a":1}');
    vi.advanceTimersByTime(120_000);
    stream.put('x'.repeat(1_000));
    const before = { objects: objects.size, age: stream.age() };
    stream.refuse(false);

    expect(before).toEqual({ objects: 0, age: 120_000 });
    expect([...objects.values()]).toEqual([`{"a":1}\n${'x'.repeat(1_000)}\n`]);
    expect(stream.age()).toBeNull();
  });

  test('names its objects like Firehose, by the hour in UTC', async () => {
    const { stream, objects } = await aStream();

    stream.put('a');
    stream.flush();

    expect([...objects.keys()]).toEqual([
      expect.stringMatching(/^events\/2026\/11\/20\/09\/copy-1-2026-11-20-09-30-15-[0-9a-f-]{36}\.gz$/),
    ]);
  });

  test('writes no empty object', async () => {
    const { stream, objects } = await aStream();

    stream.flush();
    vi.advanceTimersByTime(120_000);

    expect(objects.size).toBe(0);
  });

  test('cuts off a record that a kill left incomplete', async () => {
    const { folder } = await aStream();
    writeFileSync(join(folder, 'buffer.ndjson'), '{"n":1}\n{"n');

    const { stream } = await aStream(folder);

    expect(stream.buffered()).toEqual(['{"n":1}']);
  });

  test('that was killed after writing an object writes the same object again, and no second one', async () => {
    const folder = await temporaryFolder();
    const closed = join(folder, `${NOW}-00000000-0000-4000-8000-000000000000.closed`);
    writeFileSync(closed, 'a\n');
    const first = await aStream(folder);
    first.stream.resume();
    writeFileSync(closed, 'a\n');

    const second = await aStream(folder);
    second.stream.resume();

    expect([...second.objects]).toEqual([...first.objects]);
    expect(readdirSync(folder)).toEqual(['buffer.ndjson']);
    expect([...first.objects.values()]).toEqual(['a\n']);
  });
});

test('the streams of a template buffer in platform time, write into their bucket, and write the rest at the end', async () => {
  const folder = await temporaryFolder();
  const objects = openObjectStore(join(folder, 'buckets'), [{ name: 'audit', arn: 'arn:aws:s3:::audit' }]);
  const streams = openDeliveryStreams(join(folder, 'streams'), [DEFINITION], { objects, minuteMs: 1_000 });
  const stream = streams.find(({ name }) => name === 'copy');

  stream?.put('a');
  vi.advanceTimersByTime(500);
  const age = streams.ageSeconds('copy');
  vi.advanceTimersByTime(500);
  const afterAMinute = objects.list('audit', 'events/').length;
  stream?.put('b');
  streams.close();

  expect([age, afterAMinute, streams.ageSeconds('copy')]).toEqual([30, 1, null]);
  const texts = objects
    .list('audit', 'events/')
    .map(({ key }) => gunzipSync(readFileSync(join(objects.folderOf('audit'), key))).toString('utf8'));
  expect(texts.sort()).toEqual(['a\n', 'b\n']);
});
