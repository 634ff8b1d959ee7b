// The audit bucket as the operator's check reads it: listed page by page, objects as streams.
import { GetObjectCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';
import { toOperatorError } from '../operator-failure.ts';
import { toSdkFailure } from '../sdk-failure.ts';

type Bucket = { client: S3Client; bucketName: string };

const ADVICE =
  'Check the name of the bucket and AWS_REGION, and that your AWS credentials may list it and read its objects.';
const NOT_FOUND = 404;

/** The copy in a bucket. Listing and reading reject with BucketUnavailable, also in the middle. */
export function createAuditCopy({ client, bucketName }: Bucket) {
  return {
    name: `bucket ${bucketName}`,

    async *list(prefix: string): AsyncGenerator<{ key: string; bytes: number }> {
      const doing = `Listing ${prefix} of bucket ${bucketName}`;
      const pages = paginateListObjectsV2({ client }, { Bucket: bucketName, Prefix: prefix });
      for await (const { Contents = [] } of orUnavailable(doing, pages))
        for (const { Key = '', Size = 0 } of Contents) yield { key: Key, bytes: Size };
    },

    async read(key: string): Promise<AsyncIterable<Uint8Array> | null> {
      const doing = `Reading ${key} of bucket ${bucketName}`;
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: bucketName, Key: key }));
        // In Node the body is a stream of bytes; its type also has that of browsers.
        return Body === undefined ? null : orUnavailable(doing, Body as unknown as AsyncIterable<Uint8Array>);
      } catch (error) {
        const { name, httpStatus } = toSdkFailure(error);
        if (httpStatus === NOT_FOUND && name !== 'NoSuchBucket') return null;
        throw unavailable(doing, error);
      }
    },
  };
}

async function* orUnavailable<Item>(doing: string, items: AsyncIterable<Item>): AsyncGenerator<Item> {
  try {
    yield* items;
  } catch (error) {
    throw unavailable(doing, error);
  }
}

function unavailable(doing: string, error: unknown): Error {
  return toOperatorError('BucketUnavailable', error, { doing, advice: ADVICE });
}
