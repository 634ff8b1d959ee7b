// A map that survives the end of its writer at any instant: every change lies in a file before the call returns.
import { existsSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { type Journal, openJournal } from './journal.ts';
import { Problem } from '../../../functions/shared/problem.ts';

export type DurableMap<Value> = {
  get: (key: string) => Value | undefined;
  /** A key that is there already keeps its place in the order. */
  set: (key: string, value: Value) => void;
  delete: (key: string) => void;
  /** In the order in which the keys came. */
  entries: () => [key: string, value: Value][];
  close: () => void;
};

/** One change: a line without a value is a deletion. */
type Change<Value> = { key: string; value?: Value };

/** A file longer than this is emptied as soon as nothing is left in it. */
const LONG_BYTES = 1_000_000;

/** Opens or creates the file, which is then as short as it can be. Values are JSON. Throws a Problem where the file cannot be read. */
export function openDurableMap<Value>(file: string): DurableMap<Value> {
  const map = existsSync(file) ? readChanges<Value>(file) : new Map<string, Value>();
  rewrite(file, map);
  const journal = openJournal(file);
  let bytes = 0;
  const append = (change: Change<Value>): void => {
    const line = JSON.stringify(change);
    journal.append(line);
    bytes += line.length;
  };
  return {
    get: (key) => map.get(key),
    set: (key, value) => {
      append({ key, value });
      map.set(key, value);
    },
    delete: (key) => {
      if (!map.delete(key)) return;
      append({ key });
      if (map.size > 0 || bytes < LONG_BYTES) return;
      truncateSync(file);
      bytes = 0;
    },
    entries: () => [...map],
    close: () => journal.close(),
  };
}

function readChanges<Value>(file: string): Map<string, Value> {
  const map = new Map<string, Value>();
  for (const line of linesOf(openJournal(file))) {
    const { key, value } = toChange<Value>(line, file);
    if (value === undefined) map.delete(key);
    else map.set(key, value);
  }
  return map;
}

function linesOf(journal: Journal): string[] {
  try {
    return journal.lines();
  } finally {
    journal.close();
  }
}

function toChange<Value>(line: string, file: string): Change<Value> {
  try {
    return JSON.parse(line) as Change<Value>;
  } catch {
    throw new Problem(`${file} cannot be read. Start once with --fresh, which forgets the earlier runs.`);
  }
}

/** The whole content in a new file, which then takes the place of the old one. */
function rewrite(file: string, map: ReadonlyMap<string, unknown>): void {
  const lines = [...map].map(([key, value]) => `${JSON.stringify({ key, value })}\n`);
  writeFileSync(`${file}.new`, lines.join(''));
  renameSync(`${file}.new`, file);
}
