// What the functions write, in one file: each line with its time and the name of the function.
import { createWriteStream, existsSync } from 'node:fs';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { printable } from '../../../functions/shared/printable.ts';

export type LogLine = { at: number; message: string };

export type FunctionLog = {
  write: (line: string, functionName: string) => void;
  /** The lines of a function, oldest first. */
  read: (functionName: string) => AsyncIterable<LogLine>;
  /** Returns the stream, which finishes when everything is written. */
  close: () => NodeJS.WritableStream;
};

/** Appends to the file. */
export function openFunctionLog(file: string): FunctionLog {
  const stream = createWriteStream(file, { flags: 'a' });
  return {
    write: (line, functionName) =>
      void stream.write(`${new Date().toISOString()} ${functionName} ${printable(line)}\n`),
    read: (functionName) => readLines(file, functionName),
    close: () => stream.end(),
  };
}

async function* readLines(file: string, functionName: string): AsyncGenerator<LogLine> {
  if (!existsSync(file)) return;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    const [time = '', name] = line.split(' ', 2);
    if (name === functionName) yield { at: Date.parse(time), message: line.slice(time.length + name.length + 2) };
  }
}
