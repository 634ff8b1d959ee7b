// CloudWatch Logs as its clients read it: lines of functions and of rules, by log group, time and a filter.
// Source: the API reference of FilterLogEvents, and "Filter pattern syntax".
import { createHash } from 'node:crypto';
import { AwsRefusal, type Operation } from '../platform/aws-call.ts';
import { Unsupported } from '../platform/unsupported.ts';
import type { LogGroupDefinition } from './log-groups.ts';
import type { FunctionLog, LogLine } from './function-log.ts';
import type { LocalLogGroups } from './log-groups.ts';

type Logs = {
  functions: readonly { name: string; logGroup: string }[];
  groups: readonly LogGroupDefinition[];
  functionLog: Pick<FunctionLog, 'read'>;
  logGroups: Pick<LocalLogGroups, 'lines'>;
};

const MAX_EVENTS = 10_000;

export function createLogs(logs: Logs): Record<string, Operation> {
  return {
    FilterLogEvents: async (input) => {
      const { logGroupName, startTime = 0, endTime = Infinity, filterPattern = '', limit = MAX_EVENTS } = input;
      const matches = compileFilter(String(filterPattern));
      const from = Number(input['nextToken'] ?? 0);
      const found: object[] = [];
      let position = 0;
      for await (const { at, message } of linesOf(logs, String(logGroupName))) {
        position += 1;
        if (position <= from || at < Number(startTime) || at >= Number(endTime) || !matches(message)) continue;
        if (found.length === Math.min(Number(limit), MAX_EVENTS))
          return { events: found, nextToken: String(position - 1) };
        found.push(toEvent({ at, message }, position));
      }
      return { events: found };
    },
  };
}

function toEvent({ at, message }: LogLine, position: number): object {
  const eventId = createHash('sha256').update(`${position}\0${at}\0${message}`).digest('hex').slice(0, 56);
  return { logStreamName: 'local', timestamp: at, ingestionTime: at, message, eventId };
}

async function* linesOf({ functions, groups, functionLog, logGroups }: Logs, group: string): AsyncGenerator<LogLine> {
  const writers = functions.filter(({ logGroup }) => logGroup === group);
  if (writers.length === 0 && !groups.some(({ name }) => name === group))
    throw new AwsRefusal('ResourceNotFoundException', 'The specified log group does not exist.');
  for (const { name } of writers) yield* functionLog.read(name);
  for (const message of logGroups.lines(group)) {
    const { time } = JSON.parse(message) as { time?: string };
    yield { at: Date.parse(time ?? ''), message };
  }
}

/** `{ $.a = "text" }`, several of them joined by `||`, each perhaps in parentheses; and the empty pattern. */
function compileFilter(pattern: string): (message: string) => boolean {
  if (pattern.trim() === '') return () => true;
  const [, conditions = ''] = /^\{(.*)\}$/s.exec(pattern.trim()) ?? [];
  const tests = conditions.split('||').map((condition) => {
    const [, path, text] = /^\s*\(?\$\.([\w.-]+)\s*=\s*("(?:[^"\\]|\\.)*")\)?\s*$/.exec(condition) ?? [];
    if (path === undefined || text === undefined)
      throw new Unsupported(`the filter pattern ${pattern}`, 'cloudwatch/logs.ts');
    const [begins = '', ...rest] = (JSON.parse(text) as string).split('*');
    if (rest.join('') !== '')
      throw new Unsupported(`the filter pattern ${pattern}, but for an asterisk at the end,`, 'cloudwatch/logs.ts');
    return { path: path.split('.'), begins, isWhole: rest.length === 0 };
  });
  return (message) => {
    const value = parseObject(message);
    return (
      value !== null &&
      tests.some(({ path, begins, isWhole }) => {
        const member = memberAt(value, path);
        return isWhole ? member === begins : typeof member === 'string' && member.startsWith(begins);
      })
    );
  };
}

function memberAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((outer, name) => (outer as Record<string, unknown> | undefined)?.[name], value);
}

function parseObject(text: string): object | null {
  try {
    return text.startsWith('{') ? (JSON.parse(text) as object) : null;
  } catch {
    return null;
  }
}
