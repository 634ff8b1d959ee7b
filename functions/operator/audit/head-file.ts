// The file in which an auditor keeps the newest verified head, out of reach of whoever can write to the account.
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import type { Clock } from '../../shared/clock.ts';
import { Problem } from '../../shared/problem.ts';
import { isCalendarDay, isInstant } from './period.ts';
import { plainJsonIn } from '../../shared/plain-json.ts';

/** A head that was verified, and what the chain up to it has sealed. */
export type KeptHead = {
  sourceId: string;
  /** The bucket of the copy; null if only a folder was ever checked. */
  bucket: string | null;
  number: number;
  sha256: string;
  /** The last day that is sealed; null if none is. */
  day: string | null;
  /** Entries in all checkpoints up to it; null if the beginning of the chain was not there. */
  entries: number | null;
  /** ISO 8601. */
  verifiedAt: string;
};

type HeadOwner = Pick<KeptHead, 'sourceId' | 'bucket'>;

const VERSION = 1;
/** A kept head has some 300 bytes. */
const MAX_BYTES = 4_096;
const OWNER_ONLY = 0o600;
const LOCK_TRIES = 50;
const LOCK_PAUSE_MS = 100;

/** Null if there is no file yet. Rejects with a Problem for anything but a head of this source and bucket. */
export async function readHeadFile(path: string, owner: HeadOwner): Promise<KeptHead | null> {
  const text = await readText(path);
  if (text === null) return null;
  const kept = fromText(text);
  if (kept === null) throw notOne(path, 'does not hold a head of the form that --head-file writes');
  // A folder may be the copy of any bucket.
  const isOfBucket = kept.bucket === null || owner.bucket === null || kept.bucket === owner.bucket;
  if (kept.sourceId === owner.sourceId && isOfBucket) return kept;
  throw new Problem(`${path} keeps the head of ${nameOf(kept)}, not of ${nameOf(owner)}: name a file of its own.`);
}

function nameOf({ sourceId, bucket }: HeadOwner): string {
  return `source ${sourceId}${bucket === null ? '' : ` in bucket ${bucket}`}`;
}

/**
 * Replaces the file by that of a newer head, in one step and readable by its owner only. A file that keeps a head as
 * new as this one stays: another verification may have written it meanwhile. Resolves to what the file keeps then.
 */
export async function moveHeadFile(path: string, next: KeptHead, clock: Pick<Clock, 'sleep'>): Promise<KeptHead> {
  // The lock is the new file itself: only who holds it reads, decides and renames.
  const lockPath = `${path}.lock`;
  const lock = await takeLock(lockPath, clock);
  let isOver = false;
  try {
    const current = await readHeadFile(path, next);
    if (current !== null && current.number >= next.number) return current;
    await lock.writeFile(toText({ ...next, bucket: next.bucket ?? current?.bucket ?? null }));
    await lock.sync();
    await lock.close();
    await rename(lockPath, path);
    isOver = true;
    return next;
  } catch (error) {
    throw notWritten(path, error);
  } finally {
    await lock.close();
    if (!isOver) await rm(lockPath, { force: true });
  }
}

/** Rejects with a Problem if the lock stays taken, or its folder cannot be written to. */
async function takeLock(lockPath: string, clock: Pick<Clock, 'sleep'>): Promise<FileHandle> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await open(lockPath, 'wx', OWNER_ONLY);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw notWritten(lockPath, error);
      if (tries === LOCK_TRIES)
        throw new Problem(
          `${lockPath} stays there, so the head was not kept: another verification is writing, or one was killed meanwhile. If none runs, remove it and verify again.`,
        );
    }
    await clock.sleep(LOCK_PAUSE_MS);
  }
}

function notWritten(path: string, error: unknown): unknown {
  const code = codeOf(error);
  return code === undefined ? error : new Problem(`The head was not kept: ${path} could not be written (${code}).`);
}

/** Null if there is no such file. */
async function readText(path: string): Promise<string | null> {
  try {
    const found = await lstat(path);
    if (!found.isFile()) throw notOne(path, found.isSymbolicLink() ? 'is a symbolic link' : 'is no ordinary file');
    if (found.size > MAX_BYTES) throw notOne(path, 'is larger than any head');
    await using file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    return await file.readFile('utf8');
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return null;
    throw code === undefined ? error : notOne(path, `cannot be read (${code})`);
  }
}

function notOne(path: string, why: string): Problem {
  return new Problem(`${path} ${why}, so nothing was checked: name the right file with --head-file, or take it away.`);
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

function toText({ sourceId, ...head }: KeptHead): string {
  return `${JSON.stringify({ version: VERSION, source: sourceId, ...head }, null, 2)}\n`;
}

const SHA256 = /^[0-9a-f]{64}$/;

/** Null for any other text. */
function fromText(text: string): KeptHead | null {
  const value = plainJsonIn(text);
  if (typeof value !== 'object' || value === null) return null;
  const { version, source, bucket, number, sha256, day, entries, verifiedAt } = value as Record<string, unknown>;
  const isHead =
    version === VERSION &&
    typeof source === 'string' &&
    (bucket === null || typeof bucket === 'string') &&
    isCount(number) &&
    number > 0 &&
    typeof sha256 === 'string' &&
    SHA256.test(sha256) &&
    (day === null || (typeof day === 'string' && isCalendarDay(day))) &&
    (entries === null || isCount(entries)) &&
    isInstant(verifiedAt);
  return isHead ? { sourceId: source, bucket, number, sha256, day, entries, verifiedAt } : null;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
