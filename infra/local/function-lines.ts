// What is told of functions while they run: failing polls, failing consumers, and what consumers write to their log.
import type { InvocationReport } from './invocations.ts';
import { logText } from './log-text.ts';
import { followConsumer, followTrouble, type Trouble } from './poll-failures.ts';
import type { RunningFunction } from './running-functions.ts';
import type { Terminal } from './terminal.ts';

export type FunctionLines = {
  onInvocation: (report: InvocationReport) => void;
  onOutput: (line: string, functionName: string) => void;
  /** New code of a consumer may fail in the same way, and that is news again. */
  onReload: (functionName: string) => void;
};

export function createFunctionLines(functions: readonly RunningFunction[], terminal: Terminal): FunctionLines {
  const byName = new Map(functions.map((one) => [one.name, one]));
  /** By function: what failed last. */
  const troubles = new Map<string, Trouble>();
  const follow = (report: InvocationReport, shortName: string): ReturnType<typeof followTrouble> => {
    const before = troubles.get(report.functionName) ?? null;
    const { result, error } = report;
    if (report.trigger === 'event') return followConsumer(before, { shortName, error });
    return followTrouble(before, { result: JSON.parse(result ?? 'null') as unknown, error });
  };
  return {
    onInvocation: (report) => {
      // What is repeated has been told, and what a hand invokes is waited for.
      if (report.trigger === 'hand' || report.repeat > 0) return;
      const { trouble, line } = follow(report, byName.get(report.functionName)?.shortName ?? report.functionName);
      troubles.set(report.functionName, trouble);
      if (line !== null) terminal.sayNow(line);
    },
    onOutput: (line, functionName) => {
      const { kind, shortName } = byName.get(functionName) ?? { kind: 'other', shortName: functionName };
      const text = kind === 'consumer' ? logText(line) : null;
      if (text !== null) terminal.sayNow(`  ${shortName.padEnd(SHORT_NAME_WIDTH)} ${text}`);
    },
    onReload: (functionName) => {
      if (byName.get(functionName)?.kind === 'consumer') troubles.delete(functionName);
    },
  };
}

/** So that what a consumer says begins below the action of an event. */
const SHORT_NAME_WIDTH = 19;
