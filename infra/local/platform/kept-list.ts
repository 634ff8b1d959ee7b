// What clients have made in a run and the next one needs: a list in a file that only its owner can read.
import { existsSync, readFileSync } from 'node:fs';
import { replaceFile } from '../../shared/replace-file.ts';
import { unreadable } from './journal.ts';

/** Empty without a file. Throws a Problem for a file that is none. */
export function readKeptList<Member>(file: string): Member[] {
  try {
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Member[]) : [];
  } catch {
    throw unreadable(file);
  }
}

export function writeKeptList(file: string, list: readonly unknown[]): void {
  replaceFile(file, `${JSON.stringify(list, null, 2)}\n`, { mode: 0o600 });
}
