// Which lines of a function's log concern whom, and how long the runs of a source have failed, line by line.
import { RUN_FAILED } from '../../source/log-messages.ts';

/** A line of JSON. */
type Line = Readonly<Record<string, unknown>>;

/** `other`: of another source. `repeated`: Lambda says once more what the run has said itself. */
export type Concern = 'own' | 'other' | 'repeated';

/**
 * Takes the lines in their order. Lambda's own lines, of an error and of a run that failed or was killed, name no
 * source: they concern the source whose run with their request id has said that it failed. `sourceId` is null for a
 * consumer.
 */
export function createConcerns(sourceId: string | null): (line: Line) => Concern {
  const failed = new Map<unknown, unknown>();
  return (line) => {
    const { message, requestId, sourceId: named } = line;
    if (message === RUN_FAILED) failed.set(requestId, named);
    if (named !== undefined && named !== sourceId) return sourceId === null ? 'own' : 'other';
    const report = failureReportIn(line);
    const isError = named === undefined && (message as Line | null | undefined)?.['errorType'] !== undefined;
    if (report === null && !isError) return 'own';
    const id = report?.['requestId'] ?? requestId;
    const isSaid = failed.has(id);
    if (!isSaid) failed.set(id, sourceId);
    // A consumer may write the errors that it catches.
    if (!isSaid || (isError && sourceId === null)) return 'own';
    return failed.get(id) === sourceId ? 'repeated' : 'other';
  };
}

/** The record of Lambda's line about an invocation that did not succeed; null for any other line. */
function failureReportIn({ type, record }: Line): Line | null {
  const { status = 'success' } = (record ?? {}) as Line;
  return type === 'platform.report' && status !== 'success' ? (record as Line) : null;
}

/** Failed runs in a row. `isWhole`: a run that read something came before them. `code` is that of the last one. */
export type FailedRuns = { count: number; since: number; isWhole: boolean; code: string | null };

export const NO_FAILED_RUNS: FailedRuns = { count: 0, since: 0, isWhole: false, code: null };

const READ = ['idle', 'published', 'continuing'];

/** After the source's next line. A run that was skipped or paused neither fails nor ends the row. */
export function withLine(runs: FailedRuns, at: number, { message, outcome, error }: Line): FailedRuns {
  if (READ.includes(String(outcome))) return { ...NO_FAILED_RUNS, isWhole: true };
  if (message !== RUN_FAILED) return runs;
  const { code = null } = (error ?? {}) as { code?: string };
  return { ...runs, count: runs.count + 1, since: runs.count === 0 ? at : runs.since, code };
}
