// A line of a function's log for people: the message, without what Lambda and the loggers add.
import { printable } from './printable.ts';

/** Members that say where and when a line was written. */
const SURROUNDINGS = new Set([
  'timestamp',
  'level',
  'sourceId',
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
  // Lambda repeats in them an error that is in the message.
  'errorType',
  'errorMessage',
  'stackTrace',
]);

const MAX_LENGTH = 240;

type Line = Record<string, unknown>;

/** Null for a line that says nothing to people: an embedded metric, Lambda's report of a success, an empty line. */
export function logText(line: string): string | null {
  if (line.trim() === '') return null;
  const written = readLine(line);
  if (written !== null && '_aws' in written) return null;
  const said = written === null ? line : textOf(written);
  if (said === null) return null;
  // A message of several lines becomes one line.
  const text = printable(said.replaceAll(/\s+/g, ' '));
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text;
}

/** A line of JSON as its members; null for any other one. */
export function readLine(line: string): Line | null {
  if (!line.startsWith('{')) return null;
  try {
    return JSON.parse(line) as Line;
  } catch {
    return null;
  }
}

function textOf(written: Line): string | null {
  if (String(written['type']).startsWith('platform.')) return platformText(written['record']);
  return 'message' in written ? messageIn(written) : membersText(written);
}

/** How Lambda says that it ended an invocation, or that one failed; null for anything else that it reports. */
function platformText(record: unknown): string | null {
  const { status = 'success', errorType = '', metrics } = (record ?? {}) as Record<string, string | undefined>;
  if (status === 'success') return null;
  const { durationMs } = (metrics ?? {}) as { durationMs?: number };
  const after = durationMs === undefined ? '' : ` after ${(durationMs / 1_000).toFixed(1)} s`;
  return `ERROR Lambda ended the run: ${status}${errorType === '' ? '' : ` (${errorType})`}${after}.`;
}

/** The message, after its level unless that is INFO, and before the error and the line's other members. */
function messageIn({ level = 'INFO', message, error, ...others }: Line): string {
  const rest = Object.fromEntries(Object.entries(others).filter(([name]) => !SURROUNDINGS.has(name)));
  const isError = (message as Line | null)?.['errorType'] !== undefined;
  return [
    level === 'INFO' ? '' : String(level),
    typeof message === 'string' ? message : isError ? errorText(message) : membersText(message),
    error === undefined ? '' : errorText(error),
    membersText(rest),
  ]
    .filter((part) => part !== '')
    .join(' ');
}

type WrittenError = { details?: object } & Partial<
  Record<'code' | 'name' | 'errorType' | 'errorMessage' | 'message', string>
>;

/** An error as Lambda's runtime or a logger writes it: its code or else its name, its message, and its details. */
function errorText(error: unknown): string {
  const { code, name, errorType, errorMessage, message, details } = (error ?? {}) as WrittenError;
  const said = errorMessage ?? message;
  if (said === undefined) return membersText(error);
  const kind = code ?? name ?? errorType;
  return [`${kind === undefined ? '' : `${kind}: `}${said}`, membersText(details ?? {})].join(' ').trim();
}

/** `outcome=idle sweep.level=recent`: the members that have a value, in their order. Text with blanks has quotes. */
export function membersText(value: unknown, name = ''): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object' && !Array.isArray(value)) {
    const path = name === '' ? '' : `${name}.`;
    const parts = Object.entries(value).map(([key, member]) => membersText(member, path + key));
    return parts.filter((part) => part !== '').join(' ');
  }
  const isPlain = typeof value === 'string' && /^[^\s"=]+$/.test(value);
  return `${name === '' ? '' : `${name}=`}${isPlain ? value : JSON.stringify(value)}`;
}
