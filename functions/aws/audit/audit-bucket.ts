// Text objects of the audit bucket, gzipped and written once.
import { gunzipSync, gzipSync } from 'node:zlib';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { EVENTS_PREFIX } from '../../shared/copy-prefix.ts';
import type { AuditBucket } from '../../audit/ports.ts';
import { toBridgeError, toSdkFailure } from '../sdk-failure.ts';

const CONNECTION_TIMEOUT_MS = 1_000;
/** A manifest of a hundred thousand entries has about 5 MB. */
const REQUEST_TIMEOUT_MS = 20_000;
const ATTEMPTS = 3;

const NOT_FOUND = 404;
const PRECONDITION_FAILED = 412;

/** Region, credentials and endpoint come from the SDK's own environment variables. */
export function createS3Client(): S3Client {
  return new S3Client({
    maxAttempts: ATTEMPTS,
    retryMode: 'standard',
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      // By default the SDK only logs a warning and keeps waiting.
      throwOnRequestTimeout: true,
    },
  });
}

type Bucket = { client: S3Client; bucketName: string };

export function createAuditBucket({ client, bucketName }: Bucket): AuditBucket {
  return {
    get: (key) =>
      orUnavailable(`Reading ${key} in the audit bucket`, async () => {
        const bytes = await readBytes({ client, bucketName }, key);
        return bytes === null ? null : gunzipSync(bytes).toString('utf8');
      }),

    putOnce: (key, text) =>
      orUnavailable(`Writing ${key} to the audit bucket`, async () => {
        // Object Lock and versions would keep the first version too, but readers would get the last one.
        const put = { Bucket: bucketName, Key: key, Body: gzipSync(text), IfNoneMatch: '*' };
        return await unless(PRECONDITION_FAILED, false, async () => {
          await client.send(new PutObjectCommand({ ...put, ContentType: 'application/gzip' }));
          return true;
        });
      }),

    list: (prefix) =>
      orUnavailable(`Listing ${prefix} of the audit bucket`, () => listKeys({ client, bucketName }, prefix)),
  };
}

/** The copy for who forwards it. Each call rejects with BucketUnavailable. */
export function createCopyReader({ client, bucketName }: Bucket) {
  return {
    async *list(after: string): AsyncGenerator<string, void> {
      for (let last: string | undefined = after; last !== undefined;) {
        const from: string = last;
        const page = await orUnavailable(`Listing ${EVENTS_PREFIX} of the audit bucket`, async () => {
          const Prefix = EVENTS_PREFIX;
          return await client.send(new ListObjectsV2Command({ Bucket: bucketName, Prefix, StartAfter: from }));
        });
        const keys = (page.Contents ?? []).map(({ Key = '' }) => Key);
        yield* keys;
        last = page.IsTruncated === true ? keys.at(-1) : undefined;
      }
    },

    read: async (key: string): Promise<readonly string[] | null> => {
      const doing = `Reading ${key} in the audit bucket`;
      const bytes = await orUnavailable(doing, () => readBytes({ client, bucketName }, key));
      try {
        return bytes === null ? [] : gunzipSync(bytes).toString('utf8').split('\n');
      } catch {
        return null;
      }
    },
  };
}

async function readBytes({ client, bucketName }: Bucket, key: string): Promise<Uint8Array | null> {
  return await unless(NOT_FOUND, null, async () => {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: bucketName, Key: key }));
    return (await Body?.transformToByteArray()) ?? null;
  });
}

/** S3 returns up to a thousand keys per page, sorted as bytes. */
async function listKeys({ client, bucketName }: Bucket, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  let token: string | undefined;
  do {
    const page = await client.send(
      new ListObjectsV2Command({ Bucket: bucketName, Prefix: prefix, ContinuationToken: token }),
    );
    keys.push(...(page.Contents ?? []).map(({ Key = '' }) => Key));
    token = page.NextContinuationToken;
  } while (token !== undefined);
  return keys;
}

/** Returns `instead` if S3 answers with `status`. A missing bucket remains an error. */
async function unless<Result>(status: number, instead: Result, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    const failure = toSdkFailure(error);
    if (failure.httpStatus === status && failure.name !== 'NoSuchBucket') return instead;
    throw error;
  }
}

async function orUnavailable<Result>(doing: string, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw toBridgeError('BucketUnavailable', error, {
      doing,
      advice:
        'Check that the function has the name of the audit bucket, and the rights to list it and to read and write its objects.',
    });
  }
}
