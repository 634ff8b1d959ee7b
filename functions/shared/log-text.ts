// A line of a function's log for people: the message, without what Lambda and the loggers add.
import { printable } from './printable.ts';

/** Members that say where and when a line was written. */
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

const MAX_LENGTH = 240;

/** Null for a line without a message: an embedded metric, the platform's report of an error, an empty line. */
export function logText(line: string): string | null {
  // The error of a failed invocation is shown with the invocation.
  if (line.trim() === '' || line.startsWith('Invoke Error\t')) return null;
  const written = readObject(line);
  if (written !== null && '_aws' in written) return null;
  const message = written === null || !('message' in written) ? line : messageIn(written);
  // A message of several lines becomes one line.
  const text = printable(message.replaceAll(/\s+/g, ' '));
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text;
}

/** The message, after its level unless that is INFO, and before the line's other members. */
function messageIn({ level = 'INFO', message, ...others }: Record<string, unknown>): string {
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
