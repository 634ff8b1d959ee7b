// A map that survives a crash at any moment: every change is in a file before the call returns.
import { existsSync, truncateSync } from 'node:fs';
import { type Journal, openJournal } from './journal.ts';
import { replaceFile } from '../../shared/replace-file.ts';

export type DurableMap<Value> = {
  get: (key: string) => Value | undefined;
  /** An existing key keeps its place in the order. */
  set: (key: string, value: Value) => void;
  delete: (key: string) => void;
  /** In the order in which the keys were added. */
  entries: () => [key: string, value: Value][];
  close: () => void;
};

/** One change. A line without a value is a deletion. */
type Change<Value> = { key: string; value?: Value };

/** A longer file is truncated as soon as the map is empty. */
const MAX_BYTES = 1_000_000;

/** Opens or creates the file and compacts it. Values are JSON. Throws a Problem if the file cannot be read. */
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
      if (map.size > 0 || bytes < MAX_BYTES) return;
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
    const { key, value } = JSON.parse(line) as Change<Value>;
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

/** Writes the whole content to a new file, which then replaces the old one. */
function rewrite(file: string, map: ReadonlyMap<string, unknown>): void {
  const lines = [...map].map(([key, value]) => `${JSON.stringify({ key, value })}\n`);
  replaceFile(file, lines.join(''));
}
