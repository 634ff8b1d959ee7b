// The template's buckets as folders: each object is a file named after its key; older versions are kept separately.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Unsupported } from '../platform/unsupported.ts';

export type BucketDefinition = { name: string; arn: string };

/** Times are in ms since 1970. */
export type ObjectHead = { key: string; bytes: number; writtenAt: number };

export type ObjectStore = {
  /** Whether the template has that bucket. */
  has: (bucket: string) => boolean;
  names: () => string[];
  /** The folder of a bucket, with the objects under their keys. */
  folderOf: (bucket: string) => string;
  /** When this returns, the whole object is in its file. A previous object of that key is kept as an older version. */
  put: (bucket: string, key: string, bytes: Uint8Array) => void;
  /** Null if there is none. */
  get: (bucket: string, key: string) => Buffer | null;
  head: (bucket: string, key: string) => ObjectHead | null;
  /** Objects whose keys begin with `prefix`, sorted by the bytes of their keys, as in S3. */
  list: (bucket: string, prefix: string) => ObjectHead[];
};

/** No bucket has such a name. */
const OLDER = '.older';
const UNFINISHED = '.unfinished';

/** Throws Unsupported for a key that is not a path below a folder. */
export function openObjectStore(folder: string, definitions: readonly BucketDefinition[]): ObjectStore {
  const folderOf = (bucket: string): string => join(folder, bucket);
  const fileOf = (bucket: string, key: string): string => join(folderOf(bucket), checkKey(key));
  const head = (bucket: string, key: string): ObjectHead | null => {
    const found = statSync(fileOf(bucket, key), { throwIfNoEntry: false });
    return found?.isFile() === true ? { key, bytes: found.size, writtenAt: found.mtimeMs } : null;
  };
  return {
    has: (bucket) => definitions.some(({ name }) => name === bucket),
    names: () => definitions.map(({ name }) => name),
    folderOf,
    head,
    put: (bucket, key, bytes) => {
      const file = fileOf(bucket, key);
      const unfinished = join(folder, UNFINISHED, randomUUID());
      writeInFolder(unfinished, bytes);
      if (existsSync(file)) moveToFolder(file, join(folder, OLDER, bucket, `${key}.${Date.now()}-${randomUUID()}`));
      moveToFolder(unfinished, file);
    },
    get: (bucket, key) => (head(bucket, key) === null ? null : readFileSync(fileOf(bucket, key))),
    list: (bucket, prefix) =>
      filesBelow(folderOf(bucket))
        .filter((key) => key.startsWith(prefix))
        .sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
        .flatMap((key) => head(bucket, key) ?? []),
  };
}

function writeInFolder(file: string, bytes: Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
}

function moveToFolder(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  renameSync(from, to);
}

/** S3 accepts any text as a key, but a file must stay inside its folder. */
function checkKey(key: string): string {
  const isPath = key.split('/').every((part) => !['', '.', '..'].includes(part) && !/[\\\0]/.test(part));
  if (!isPath) throw new Unsupported(`the key ${JSON.stringify(key)} of an object`, 's3/object-store.ts');
  return key;
}

/** Paths relative to the folder, with slashes; none if the folder does not exist. */
function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesBelow(join(folder, entry.name)).map((path) => `${entry.name}/${path}`) : [entry.name],
  );
}
