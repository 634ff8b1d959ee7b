// A line of a function's log as a person wants to read it: what was said, without what Lambda and the loggers put around it.
import { printable } from './event-line.ts';

/** Members of a line that say where and when it was written. */
const SURROUNDINGS = new Set([
  'timestamp',
  'level',
  'message',
  'requestId',
  'service',
  'cold_start',
  'function_arn',
  'function_memory_size',
  'function_name',
  'function_request_id',
  'sampling_rate',
  'xray_trace_id',
]);

const LONGEST = 240;

/** Null for what nobody said: an embedded metric, the platform's report of an error, an empty line. */
export function logText(line: string): string | null {
  // The error of a failed invocation is told when the invocation is.
  if (line.trim() === '' || line.startsWith('Invoke Error\t')) return null;
  const written = readObject(line);
  if (written !== null && '_aws' in written) return null;
  const said = written === null || !('message' in written) ? line : saidIn(written);
  // What a console breaks into lines stands on one here.
  const text = printable(said.replaceAll(/\s+/g, ' '));
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

/** The message, before it its level where that is worth mentioning, after it what the line says beside it. */
function saidIn({ level = 'INFO', message, ...others }: Record<string, unknown>): string {
  const rest = Object.fromEntries(Object.entries(others).filter(([name]) => !SURROUNDINGS.has(name)));
  return [
    level === 'INFO' ? '' : String(level),
    typeof message === 'string' ? message : JSON.stringify(message),
    Object.keys(rest).length === 0 ? '' : JSON.stringify(rest),
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function readObject(line: string): Record<string, unknown> | null {
  if (!line.startsWith('{')) return null;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return null;
  }
}
