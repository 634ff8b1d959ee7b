// Where lines go: with --json only events go to standard output, everything else goes to standard error.
import { printable, printableLines } from '../../../functions/shared/printable.ts';
import type { BusEvent } from '../events/event-bus.ts';
import { clockTime, eventLine } from './event-line.ts';
import { coloured, colouredEvent, columnsOf, truncated, wrapped } from './screen.ts';

export type Terminal = {
  say: (...lines: string[]) => void;
  /** Prefixes the line with the time. */
  sayNow: (line: string) => void;
  /** The same, on one line of the terminal. */
  sayBriefly: (line: string) => void;
  event: (event: BusEvent) => void;
  /** While it is quiet, events and what functions write are not shown; with --json the events are. */
  beQuiet: (isQuiet: boolean) => void;
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
  const stream = json ? err : out;
  const say = (...lines: string[]): void =>
    lines.forEach((line) => write(stream, onScreen(printableLines(line), stream)));
  let isQuiet = false;
  const now = (line: string): string => `${clockTime(Date.now())}  ${line}`;
  return {
    say,
    sayNow: (line) => say(now(line)),
    sayBriefly: (line) => isQuiet || say(truncated(now(printable(line)), columnsOf(stream))),
    event: (event) => {
      if (json) write(out, printable(event.text));
      else if (!isQuiet) write(out, colouredEvent(printable(eventLine(event, { columns: columnsOf(out) })), out));
    },
    beQuiet: (quiet) => {
      isQuiet = quiet;
    },
  };
}

/** A text as it looks on a stream: broken between words at the width of a terminal, and coloured. */
export function onScreen(text: string, stream: NodeJS.WritableStream): string {
  const lines = text.split('\n').map((line) => coloured(wrapped(line, columnsOf(stream)), stream));
  return lines.join('\n');
}
