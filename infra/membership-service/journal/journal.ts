// The journal: what must survive a kill, one line of JSON per change, written before anybody hears of it.
import { appendFileSync, closeSync, existsSync, ftruncateSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isJsonObject, type JsonValue } from '../../../functions/shared/json.ts';
import type { JournalLine } from './journal-record.ts';

export type Journal = {
  /** What was written before this start. */
  readonly lines: readonly JournalLine[];
  /** Returns when the lines are with the operating system: a kill of the process no longer loses them. */
  append(lines: readonly JournalLine[]): void;
  close(): void;
};

/** A journal that remembers nothing. */
export const noJournal: Journal = { lines: [], append: () => {}, close: () => {} };

/** How every journal begins. */
const BEGINNING = '[{"kind":"service",';

/**
 * Opens or creates a journal. A last line without its line end was torn by a kill before its change was answered: it is removed.
 * Throws where another line cannot be read, and where the file is somebody's own: that one stays as it is.
 */
export function openJournal(path: string): Journal {
  mkdirSync(dirname(path), { recursive: true });
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  if (!isJournal(bytes)) throw new Error(`${path} is none of this service. Give another one.`);
  const whole = bytes.subarray(0, bytes.lastIndexOf('\n') + 1);
  const lines = readLines(whole.toString('utf8'), path);
  const file = openSync(path, 'a');
  ftruncateSync(file, whole.length);
  let isOpen = true;
  let length = whole.length;
  return {
    lines,
    append: (added) => {
      if (!isOpen) throw new Error('The local membership service is closed: it takes no more changes.');
      const text = Buffer.from(added.map((line) => `${JSON.stringify(line)}\n`).join(''));
      appendOrUndo(file, text, length);
      length += text.length;
    },
    close: () => {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}

/** A kill may have torn even the first line. */
function isJournal(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, BEGINNING.length);
  return start === BEGINNING.slice(0, start.length);
}

/** A full disk must not leave half a line for the next one to be joined to. */
function appendOrUndo(file: number, text: Buffer, lengthBefore: number): void {
  try {
    appendFileSync(file, text);
  } catch (error) {
    ftruncateSync(file, lengthBefore);
    throw error;
  }
}

function readLines(text: string, path: string): JournalLine[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line, index) => {
      const records = parse(line);
      if (Array.isArray(records) && records.every(isJsonObject)) return records as unknown as JournalLine;
      throw new Error(`Line ${index + 1} of ${path} cannot be read. Mend it, or remove the file to begin anew.`);
    });
}

function parse(line: string): JsonValue {
  try {
    return JSON.parse(line) as JsonValue;
  } catch {
    return null;
  }
}
