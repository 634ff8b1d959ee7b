// Lambda's own line about an invocation that failed, as its system log has it in JSON. Those of invocations that
// succeeded are left out: nobody reads them here. Source: "Lambda Telemetry API Event schema reference".
import type { Outcome } from './function-child.ts';

/** Null for an invocation that succeeded. */
export function failureReport({ requestId, error, durationMs }: Outcome, now: number): string | null {
  if (error === undefined) return null;
  const { errorType } = error;
  const status = errorType === 'Sandbox.Timedout' ? { status: 'timeout' } : { status: 'error', errorType };
  return JSON.stringify({
    time: new Date(now).toISOString(),
    type: 'platform.report',
    record: { requestId, metrics: { durationMs }, ...status },
  });
}
