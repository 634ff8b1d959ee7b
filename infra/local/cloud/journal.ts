// A file of lines that survives the end of its writer at any instant: each line is written before the call returns.
import { closeSync, existsSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';

export type Journal = {
  /** Writes one line with one system call; what was returned from is there even if every process is killed now. */
  append: (line: string) => void;
  lines: () => string[];
  close: () => void;
};

/** Opens or creates the file. A last line without its end was never returned from and is cut off. */
export function openJournal(file: string): Journal {
  if (existsSync(file)) cutTornLine(file);
  const descriptor = openSync(file, 'a+');
  return {
    append: (line) => {
      writeSync(descriptor, `${line}\n`);
    },
    lines: () => readFileSync(file, 'utf8').split('\n').slice(0, -1),
    close: () => closeSync(descriptor),
  };
}

function cutTornLine(file: string): void {
  const bytes = readFileSync(file);
  const whole = bytes.lastIndexOf('\n') + 1;
  if (whole < bytes.length) truncateSync(file, whole);
}
