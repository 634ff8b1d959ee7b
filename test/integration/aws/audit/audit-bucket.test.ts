import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AuditBucket } from '../../../../functions/audit/ports.ts';
import { createAuditBucket, createS3Client } from '../../../../functions/aws/audit/audit-bucket.ts';
import { refusalOf } from '../../../support/refusal.ts';
import { type S3Endpoint, startS3 } from './s3-endpoint.ts';

const KEY = 'manifests/acme/2026-11-02/000000.txt.gz';

let s3: S3Endpoint;
let bucket: AuditBucket;

beforeAll(async () => {
  s3 = await startS3('audit');
  Object.assign(process.env, { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' });
  bucket = createAuditBucket({ client: createS3Client(), bucketName: 'audit' });
});

afterAll(async () => {
  await s3.close();
});

beforeEach(() => {
  s3.begin();
});

/** The first `times` calls that begin so. */
function first(call: string, failure: 'lost' | { status: number; code: string }, times = 1) {
  let left = times;
  return (is: string) => {
    if (!is.startsWith(call) || left === 0) return null;
    left -= 1;
    return failure;
  };
}

describe('the audit bucket', () => {
  it('keeps a text gzipped, and gives it back', async () => {
    const text = 'a line\nÜ 😀\n';

    const written = await bucket.putOnce(KEY, text);

    expect(written).toBe(true);
    expect(gunzipSync(s3.objects.get(KEY) ?? '').toString('utf8')).toBe(text);
    expect(await bucket.get(KEY)).toBe(text);
  });

  it('writes an object once, and leaves it as it is the second time', async () => {
    await bucket.putOnce(KEY, 'first');

    const written = await bucket.putOnce(KEY, 'second');

    expect(written).toBe(false);
    expect(await bucket.get(KEY)).toBe('first');
  });

  it('has the object where the answer to its writing was lost, and says that it is there (S45)', async () => {
    s3.begin(first('PUT', 'lost'));

    const written = await bucket.putOnce(KEY, 'text');

    expect(written).toBe(false);
    expect(s3.calls).toHaveLength(2);
    expect(await bucket.get(KEY)).toBe('text');
  });

  it('gives null for what is not there', async () => {
    expect(await bucket.get(KEY)).toBeNull();
  });

  it('lists every key that begins so, page by page, and no other', async () => {
    const keys = Array.from({ length: 7 }, (_, index) => `manifests/acme/2026-11-02/00000${index}.txt.gz`);
    for (const key of [...keys, 'manifests/acme/2026-11-03/000000.txt.gz']) s3.objects.set(key, gzipSync(''));

    expect(await bucket.list('manifests/acme/2026-11-02/')).toEqual(keys);
    expect(s3.calls).toHaveLength(3);
  });

  it('lists nothing where there is nothing', async () => {
    expect(await bucket.list('manifests/')).toEqual([]);
  });

  it('asks again where S3 is busy', async () => {
    s3.begin(first('PUT', { status: 503, code: 'SlowDown' }, 2));

    expect(await bucket.putOnce(KEY, 'text')).toBe(true);
  });

  it.each([
    ['reading', 'GET', () => bucket.get(KEY)],
    ['writing', 'PUT', () => bucket.putOnce(KEY, 'text')],
    ['listing', 'LIST', () => bucket.list('manifests/')],
  ] as const)(
    'rejects with BucketUnavailable where %s is refused, and repeats nothing of the answer',
    async (_, call, ask) => {
      s3.begin(first(call, { status: 403, code: 'AccessDenied' }, Infinity));

      const error = await refusalOf(ask());

      expect(error).toMatchObject({ code: 'BucketUnavailable', retryable: false });
      expect(error.message).toContain('rights');
      expect(JSON.stringify(error) + error.message).not.toContain('Ana');
    },
  );

  it('rejects with a passing BucketUnavailable where S3 does not answer', async () => {
    s3.begin(first('GET', 'lost', Infinity));

    const error = await refusalOf(bucket.get(KEY));

    expect(error).toMatchObject({ code: 'BucketUnavailable', retryable: true });
    expect(s3.calls).toHaveLength(3);
  });

  it('does not take a bucket that does not exist for an empty one', async () => {
    const other = createAuditBucket({ client: createS3Client(), bucketName: 'other' });

    const errors = [await refusalOf(other.get(KEY)), await refusalOf(other.list('manifests/'))];

    expect(errors).toMatchObject([
      { code: 'BucketUnavailable', retryable: false },
      { code: 'BucketUnavailable', retryable: false },
    ]);
  });

  it('rejects with BucketUnavailable where the object is not gzipped', async () => {
    s3.objects.set(KEY, Buffer.from('plain'));

    expect(await refusalOf(bucket.get(KEY))).toMatchObject({ code: 'BucketUnavailable' });
  });
});
