import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readAudit } from '../../../../../infra/local/audit/read-audit.ts';
import { openDeliveryStreams } from '../../../../../infra/local/firehose/delivery-streams.ts';
import { openObjectStore } from '../../../../../infra/local/s3/object-store.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

const STREAM = {
  name: 'copy',
  arn: 'arn:copy',
  bucketName: 'audit',
  prefix: 'events/',
  bufferMs: 60_000,
  bufferBytes: 1_000_000,
};

const line = (id: string): string => JSON.stringify({ detail: { metadata: { id } } });

async function aCopy() {
  const folder = await temporaryFolder();
  const objects = openObjectStore(join(folder, 'buckets'), [{ name: 'audit', arn: 'arn:aws:s3:::audit' }]);
  const streams = openDeliveryStreams(join(folder, 'streams'), [STREAM], { objects });
  return { objects, streams, stream: streams.find(() => true) };
}

describe('the audit copy of a run', () => {
  test('has the newest events first, buffered ones before those in objects', async () => {
    const copy = await aCopy();
    copy.objects.put('audit', 'events/2026/11/20/09/first.gz', gzipSync(`${line('one')}\n${line('two')}\n`));
    copy.objects.put('audit', 'manifests/acme/2026-11-20/000000.txt.gz', gzipSync(''));
    copy.stream?.put(line('three'));

    const { events, buffered } = readAudit(copy);

    const first = 'events/2026/11/20/09/first.gz';
    expect(events).toEqual([
      { event: JSON.parse(line('three')), key: null },
      { event: JSON.parse(line('two')), key: first },
      { event: JSON.parse(line('one')), key: first },
    ]);
    expect(buffered).toBe(1);
  });

  test('opens only the newest objects', async () => {
    const copy = await aCopy();
    for (let index = 10; index < 33; index += 1)
      copy.objects.put('audit', `events/2026/11/20/09/${index}.gz`, gzipSync(`${line(String(index))}\n`));

    const { events } = readAudit(copy);

    expect([events.length, events[0]?.key]).toEqual([20, 'events/2026/11/20/09/32.gz']);
  });
});
