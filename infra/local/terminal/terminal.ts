// Where lines go: with --json only events go to standard output, everything else goes to standard error.
import { createWriteStream } from 'node:fs';
import { printable, printableLines } from '../../../functions/shared/printable.ts';
import type { BusEvent } from '../events/event-bus.ts';
import { clockTime, eventLine } from './event-line.ts';

export type Terminal = {
  say: (...lines: string[]) => void;
  /** Prefixes the line with the time. */
  sayNow: (line: string) => void;
  event: (event: BusEvent) => void;
};

/** Nothing it writes controls the terminal, whoever wrote the text. */
export function createTerminal(
  { json }: { json: boolean },
  { out, err }: { out: NodeJS.WritableStream; err: NodeJS.WritableStream } = {
    out: process.stdout,
    err: process.stderr,
  },
): Terminal {
  const write = (stream: NodeJS.WritableStream, text: string): void => void stream.write(`${text}\n`);
  const say = (...lines: string[]): void => lines.forEach((line) => write(json ? err : out, printableLines(line)));
  return {
    say,
    sayNow: (line) => say(`${clockTime(Date.now())}  ${line}`),
    event: (event) => write(out, printable(json ? event.text : eventLine(event))),
  };
}

/** Appends the functions' output to a file. */
export function openFunctionLog(file: string): {
  write: (line: string, functionName: string) => void;
  /** Returns the stream, which finishes when everything is written. */
  close: () => NodeJS.WritableStream;
} {
  const stream = createWriteStream(file, { flags: 'a' });
  return {
    write: (line, functionName) =>
      void stream.write(`${new Date().toISOString()} ${functionName} ${printable(line)}\n`),
    close: () => stream.end(),
  };
}
