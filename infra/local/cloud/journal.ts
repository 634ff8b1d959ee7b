// A file of lines that survives a crash at any moment: each line is written before the call returns.
import { closeSync, existsSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';

export type Journal = {
  /** Writes one line with one system call. Once it returns, the line survives even if every process is killed. */
  append: (line: string) => void;
  lines: () => string[];
  close: () => void;
};

/** Opens or creates the file. Cuts off an incomplete last line: its `append` never returned. */
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
