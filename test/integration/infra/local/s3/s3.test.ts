// S3 on this machine, called by the SDK over sockets.
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAuditBucket } from '../../../../../functions/aws/audit/audit-bucket.ts';
import { clientOptions, startFixtureCloud } from '../../../../support/fixture-cloud.ts';
import { refusalOf } from '../../../../support/refusal.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

const QUIET = { worker: { code: 'exports.handler = async () => null;' } };
const resources = { Bucket: { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'audit' } } };
const Bucket = 'audit';

async function startS3() {
  const problems: string[] = [];
  const stateFolder = await temporaryFolder();
  const onProblem = (problem: string): void => void problems.push(problem);
  const cloud = await startFixtureCloud(QUIET, { resources, stateFolder, onProblem });
  const s3 = new S3Client(clientOptions(cloud));
  onTestFinished(() => s3.destroy());
  return { cloud, s3, problems, folder: join(stateFolder, 'buckets') };
}

describe('S3 on one machine', () => {
  test('returns the bytes that were put, and keeps them in a file named after the key', async () => {
    const { s3, folder } = await startS3();
    const bytes = Uint8Array.from({ length: 300 }, (_, index) => index % 256);
    const Key = 'events/2026/ä b+%.gz';

    await s3.send(new PutObjectCommand({ Bucket, Key, Body: bytes }));
    const { Body, ...got } = await s3.send(new GetObjectCommand({ Bucket, Key }));
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key }));

    expect(await Body?.transformToByteArray()).toEqual(bytes);
    expect([got.ContentLength, head.ContentLength]).toEqual([300, 300]);
    expect(head.ETag).toBe(got.ETag);
    expect(new Uint8Array(await readFile(join(folder, 'audit', Key)))).toEqual(bytes);
  });

  test('accepts a body that the SDK sends in chunks, followed by its checksum', async () => {
    const { s3, folder } = await startS3();
    const text = 'line\r\n'.repeat(50_000);
    const Body = Readable.from([Buffer.from(text.slice(0, 99_999)), Buffer.from(text.slice(99_999))]);

    await s3.send(new PutObjectCommand({ Bucket, Key: 'streamed', Body, ContentLength: text.length }));

    expect((await readFile(join(folder, 'audit/streamed'), 'utf8')) === text).toBe(true);
  });

  test('refuses a body that does not match its checksum', async () => {
    const { s3, folder } = await startS3();
    const put = { Bucket, Key: 'damaged', Body: 'text' };

    const refusals = [
      await refusalOf(s3.send(new PutObjectCommand({ ...put, ChecksumCRC32: 'AAAAAA==' }))),
      await refusalOf(s3.send(new PutObjectCommand({ ...put, ContentMD5: 'AAAAAAAAAAAAAAAAAAAAAA==' }))),
    ];

    expect(refusals).toMatchObject([{ name: 'BadDigest' }, { name: 'BadDigest' }]);
    expect(await readdir(folder).catch(() => [])).toEqual([]);
  });

  test('sends the checksum with which the SDK detects damage', async () => {
    const { s3 } = await startS3();
    await s3.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'text' }));

    const { ChecksumCRC32 } = await s3.send(new GetObjectCommand({ Bucket, Key: 'a', ChecksumMode: 'ENABLED' }));

    expect(ChecksumCRC32).toMatch(/^[A-Za-z0-9+/]{6}==$/);
  });

  test('keeps the previous object of a key as an older version, next to the bucket', async () => {
    const { s3, folder } = await startS3();

    await s3.send(new PutObjectCommand({ Bucket, Key: 'a/b', Body: 'first' }));
    await s3.send(new PutObjectCommand({ Bucket, Key: 'a/b', Body: 'second' }));

    const [older = ''] = await readdir(join(folder, '.older/audit/a'));
    expect(await readFile(join(folder, 'audit/a/b'), 'utf8')).toBe('second');
    expect(await readFile(join(folder, '.older/audit/a', older), 'utf8')).toBe('first');
    expect(await readdir(join(folder, '.unfinished'))).toEqual([]);
  });

  test('lists the keys below a prefix, in the order of their bytes, a thousand at a time', async () => {
    const { s3, folder } = await startS3();
    await mkdir(join(folder, 'audit/events'), { recursive: true });
    await mkdir(join(folder, 'audit/other'), { recursive: true });
    for (let index = 0; index < 1_002; index += 1)
      await writeFile(join(folder, 'audit/events', String(index).padStart(4, '0')), 'x');
    await writeFile(join(folder, 'audit/other/a&<b>'), 'x');
    const list = { Bucket, Prefix: 'events/' };

    const first = await s3.send(new ListObjectsV2Command(list));
    const second = await s3.send(new ListObjectsV2Command({ ...list, ContinuationToken: first.NextContinuationToken }));
    const others = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'other' }));

    expect([first.Contents?.length, first.IsTruncated]).toEqual([1_000, true]);
    expect(first.Contents?.at(0)).toMatchObject({ Key: 'events/0000', Size: 1 });
    expect(second.Contents?.map(({ Key }) => Key)).toEqual(['events/1000', 'events/1001']);
    expect(second.NextContinuationToken).toBeUndefined();
    expect(others.Contents?.map(({ Key }) => Key)).toEqual(['other/a&<b>']);
  });

  test('serves the audit bucket of the functions: written once, read, listed', async () => {
    const { s3 } = await startS3();
    const bucket = createAuditBucket({ client: s3, bucketName: Bucket });

    const puts = [await bucket.putOnce('manifests/a', 'first'), await bucket.putOnce('manifests/a', 'second')];

    expect(puts).toEqual([true, false]);
    expect([await bucket.get('manifests/a'), await bucket.get('manifests/b')]).toEqual(['first', null]);
    expect(await bucket.list('manifests/')).toEqual(['manifests/a']);
  });

  test('has only buckets of the template', async () => {
    const { s3, problems } = await startS3();

    const refusal = await refusalOf(s3.send(new PutObjectCommand({ Bucket: 'other', Key: 'a', Body: '' })));

    expect(refusal).toMatchObject({ name: 'NoSuchBucket' });
    expect(problems).toEqual([]);
  });

  test.each(['%2e%2e%2f%2e%2e%2fescaped', 'a//b', 'a%5cb', 'a/'])(
    'refuses a key that leaves its folder: %s',
    async (path) => {
      const { cloud, folder, problems } = await startS3();
      const authorization = `AWS4-HMAC-SHA256 Credential=${cloud.accessKeyId}/20261120/eu-central-1/s3/aws4_request`;

      await fetch(`${cloud.endpointUrl}/audit/${path}`, { method: 'PUT', headers: { authorization }, body: 'x' });

      expect(problems).toEqual([expect.stringContaining('does not support the key "')]);
      expect(await readdir(folder).catch(() => [])).toEqual([]);
    },
  );

  test.each([
    ['a part of an object', { Range: 'bytes=0-1' }],
    ['a version', { VersionId: 'v1' }],
  ])('refuses %s by name', async (_what, more) => {
    const { s3, problems } = await startS3();
    await s3.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'text' }));

    await refusalOf(s3.send(new GetObjectCommand({ Bucket, Key: 'a', ...more })));

    expect(problems).toEqual([expect.stringContaining('The local runtime does not support')]);
  });
});
