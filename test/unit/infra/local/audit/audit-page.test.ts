import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parse } from 'parse5';
import { describe, expect, test } from 'vitest';
import { auditPage } from '../../../../../infra/local/audit/page.ts';
import { readAudit } from '../../../../../infra/local/audit/read-audit.ts';
import { openDeliveryStreams } from '../../../../../infra/local/firehose/delivery-streams.ts';
import { openObjectStore } from '../../../../../infra/local/s3/object-store.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

const HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)>';
const STREAM = {
  name: 'copy',
  arn: 'arn:copy',
  bucketName: 'audit',
  prefix: 'events/',
  bufferMs: 60_000,
  bufferBytes: 1_000_000,
};

const line = (id: string, more: object = {}): string =>
  JSON.stringify({
    'detail-type': 'MemberChanged',
    time: '2026-11-20T09:30:00Z',
    detail: { metadata: { id, actionKey: 'ContactCreated' }, data: {} },
    ...more,
  });

async function aCopy() {
  const folder = await temporaryFolder();
  const objects = openObjectStore(join(folder, 'buckets'), [{ name: 'audit', arn: 'arn:aws:s3:::audit' }]);
  const streams = openDeliveryStreams(join(folder, 'streams'), [STREAM], { objects });
  return { objects, streams, stream: streams.find(() => true) };
}

function elementsIn(html: string): string[] {
  const names: string[] = [];
  const walk = (node: object): void => {
    if ('tagName' in node) names.push(String(node.tagName));
    if ('childNodes' in node) for (const child of node.childNodes as object[]) walk(child);
  };
  walk(parse(html));
  return names;
}

describe('the page of the audit copy', () => {
  test('shows events with their objects, and above them the buffered ones', async () => {
    const copy = await aCopy();
    copy.objects.put('audit', 'events/2026/11/20/09/first.gz', gzipSync(`${line('one')}\n${line('two')}\n`));
    copy.objects.put('audit', 'manifests/acme/2026-11-20/000000.txt.gz', gzipSync(''));
    copy.stream?.put(line('three'));

    const page = auditPage(readAudit(copy), 'UTC');

    expect(page).toContain('3 events, 1 of them still buffered.');
    expect(page).toMatch(
      /class="buffered"><td>20 Nov 2026, 09:30:00<td>MemberChanged<td>ContactCreated<td><code>three</,
    );
    expect(page).toMatch(/three.*buffered.*\n.*two.*first\.gz.*\n.*one.*first\.gz/);
    expect(page).toContain('manifests/acme/2026-11-20/000000.txt.gz');
  });

  test('shows the day of a checkpoint', async () => {
    const copy = await aCopy();
    const detail = { metadata: { id: 'c' }, data: { number: 2, kind: 'day', day: '2026-11-19' } };
    copy.stream?.put(line('c', { 'detail-type': 'AuditCheckpointCreated', detail }));

    expect(auditPage(readAudit(copy))).toContain('<td>day 2026-11-19<td>');
  });

  test('opens only the newest objects, and says how many it leaves out', async () => {
    const copy = await aCopy();
    for (let index = 10; index < 33; index += 1)
      copy.objects.put('audit', `events/2026/11/20/09/${index}.gz`, gzipSync(`${line(String(index))}\n`));

    const view = readAudit(copy);

    expect([view.events.length, view.unopened, view.events[0]?.key]).toEqual([20, 3, 'events/2026/11/20/09/32.gz']);
    expect(auditPage(view)).toContain('3 older objects are not opened here.');
  });

  test('escapes everything in an event', async () => {
    const copy = await aCopy();
    const detail = { metadata: { id: HOSTILE, actionKey: HOSTILE } };
    copy.stream?.put(line('', { 'detail-type': HOSTILE, time: HOSTILE, detail }));

    const page = auditPage(readAudit(copy));

    expect(elementsIn(page).filter((name) => ['script', 'img'].includes(name))).toEqual([]);
    expect(page.split('&lt;script&gt;')).toHaveLength(5);
  });

  test('says that there is nothing yet', async () => {
    expect(auditPage(readAudit(await aCopy()))).toContain('Nothing was copied yet.');
    expect(auditPage({ buckets: [], events: [], buffered: 0, unopened: 0 })).toContain('There is no bucket');
  });
});
