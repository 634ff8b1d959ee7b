// How functions are invoked without anybody waiting: ticks and deliveries, repeated after failures as Lambda repeats them.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from './function-child.ts';
import type { LocalFunction } from './local-function.ts';

/** One finished invocation. */
export type InvocationReport = Outcome & {
  functionName: string;
  trigger: 'tick' | 'event' | 'hand';
  /** 0 for the first attempt. */
  repeat: number;
};

type Request = { payload: string; trigger: 'tick' | 'event'; traceHeader?: string | undefined };

export type AsynchronousInvocations = {
  start: (target: LocalFunction, request: Request) => void;
  /** Resolves when none is under way; waits for no repeats. */
  idle: () => Promise<void>;
  /** Gives up the repeats still to come. */
  close: () => void;
};

/** Lambda waits one minute before the first repeat of an asynchronous invocation and two before the second. */
const REPEAT_DELAYS_MS = [60_000, 120_000];

export function createAsynchronousInvocations(onReport: (report: InvocationReport) => void): AsynchronousInvocations {
  const underWay = new Set<Promise<void>>();
  const closing = new AbortController();
  const attempt = async (
    target: LocalFunction,
    { payload, trigger, traceHeader }: Request,
    repeat: number,
  ): Promise<boolean> => {
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
    underWay.add(finished);
    const outcome = await target.invoke(payload, traceHeader);
    if (!closing.signal.aborted) onReport({ ...outcome, functionName: target.name, trigger, repeat });
    underWay.delete(finished);
    finish();
    return outcome.error === undefined;
  };
  const run = async (target: LocalFunction, request: Request): Promise<void> => {
    for (let repeat = 0; repeat <= target.retryAttempts; repeat += 1) {
      if (repeat > 0) await sleep(REPEAT_DELAYS_MS[repeat - 1], undefined, { signal: closing.signal });
      if ((await attempt(target, request, repeat)) || closing.signal.aborted) return;
    }
  };
  return {
    start: (target, request) => {
      run(target, request).catch((error: unknown) => {
        if (!closing.signal.aborted) throw error;
      });
    },
    idle: async () => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    close: () => closing.abort(),
  };
}
