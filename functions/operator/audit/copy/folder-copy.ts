// The audit copy in a folder, made by `aws s3 sync` or by `npm start`.
import { createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { Problem } from '../../../shared/problem.ts';
import type { AuditCopy, CopyObject } from '../../bridge/audit-copy.ts';

/** Opens a folder whose paths, with slashes, are the keys. Rejects with a Problem if there is no such folder. */
export async function openFolder(folder: string): Promise<AuditCopy> {
  const found = await stat(folder).catch(() => null);
  if (!found?.isDirectory()) throw new Problem(`There is no folder ${folder}. Name the one that contains events/.`);
  return {
    name: `folder ${folder}`,
    list: (prefix) => listFiles(folder, prefix),
    read: async (key) => {
      const file = await open(join(folder, key)).catch(nullIfMissing);
      return file === null ? null : createReadStream('', { fd: file });
    },
  };
}

async function* listFiles(folder: string, prefix: string): AsyncGenerator<CopyObject> {
  const below = join(folder, prefix);
  const entries = (await readdir(below, { recursive: true, withFileTypes: true }).catch(nullIfMissing)) ?? [];
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const keys = paths.map((path) => relative(folder, path).split(sep).join('/')).sort();
  for (const key of keys) yield { key, bytes: (await stat(join(folder, key))).size };
}

function nullIfMissing(error: unknown): null {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return null;
  throw error;
}
