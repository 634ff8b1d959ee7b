// Where lines go: with --json the events alone have standard output, everything else moves to standard error.
import { createWriteStream } from 'node:fs';
import type { BusEvent } from '../events/event-bus.ts';
import { clockTime, eventLine } from './event-line.ts';

export type Terminal = {
  say: (...lines: string[]) => void;
  /** With the time before it. */
  sayNow: (line: string) => void;
  event: (event: BusEvent) => void;
};

export function createTerminal({ json }: { json: boolean }): Terminal {
  const write = (stream: NodeJS.WriteStream, line: string): void => void stream.write(`${line}\n`);
  const beside = json ? process.stderr : process.stdout;
  const say = (...lines: string[]): void => lines.forEach((line) => write(beside, line));
  return {
    say,
    sayNow: (line) => say(`${clockTime(Date.now())}  ${line}`),
    event: (event) => write(process.stdout, json ? event.text : eventLine(event)),
  };
}

/** Appends the functions' lines to a file. */
export function openFunctionLog(file: string): {
  write: (line: string, functionName: string) => void;
  close: () => void;
} {
  const stream = createWriteStream(file, { flags: 'a' });
  return {
    write: (line, functionName) => void stream.write(`${new Date().toISOString()} ${functionName} ${line}\n`),
    close: () => void stream.end(),
  };
}
