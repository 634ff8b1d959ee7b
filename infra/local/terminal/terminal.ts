// Where lines go: with --json only events go to standard output, everything else goes to standard error.
import { createWriteStream } from 'node:fs';
import type { BusEvent } from '../events/event-bus.ts';
import { clockTime, eventLine } from './event-line.ts';

export type Terminal = {
  say: (...lines: string[]) => void;
  /** Prefixes the line with the time. */
  sayNow: (line: string) => void;
  event: (event: BusEvent) => void;
};

export function createTerminal({ json }: { json: boolean }): Terminal {
  const write = (stream: NodeJS.WriteStream, line: string): void => void stream.write(`${line}\n`);
  const stream = json ? process.stderr : process.stdout;
  const say = (...lines: string[]): void => lines.forEach((line) => write(stream, line));
  return {
    say,
    sayNow: (line) => say(`${clockTime(Date.now())}  ${line}`),
    event: (event) => write(process.stdout, json ? event.text : eventLine(event)),
  };
}

/** Appends the functions' output to a file. */
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
