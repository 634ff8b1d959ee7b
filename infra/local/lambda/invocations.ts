// How functions are invoked without anybody waiting: ticks and deliveries, repeated after failures as Lambda repeats them, and in the end
// handed to the function's destination.
import { randomUUID } from 'node:crypto';
import { bury, type BuryOptions, invocationRecord, reasonOf } from '../sqs/dead-letters.ts';
import { type DurableMap, openDurableMap } from '../cloud/durable-map.ts';
import type { InvocationError, Outcome } from './function-child.ts';
import { type InvokeConfig, invokeConfigOf } from './invoke-config.ts';
import type { LocalFunction } from './local-function.ts';
import type { PlatformClock } from '../cloud/platform-clock.ts';
import { afterFailedInvocation, type InvocationCondition, type Tries } from './retry-policy.ts';
import { createTurnstile, type Turnstile } from './turnstile.ts';

export type Trigger = 'tick' | 'event';

/** One finished invocation. */
export type InvocationReport = Outcome & {
  functionName: string;
  trigger: Trigger | 'hand';
  /** 0 for the first attempt. */
  repeat: number;
};

/** Asked before a function gets something; an error takes the place of what would have happened. */
export type FailureHook = (functionName: string, trigger: Trigger) => InvocationError | null;

export type InvocationRequest = {
  functionName: string;
  /** The alias or version that is meant; null for the function itself. */
  qualifier: string | null;
  payload: string;
  trigger: Trigger;
  traceHeader?: string | undefined;
};

/** An accepted invocation that is not finished; it has one id for all its attempts. */
type Invocation = InvocationRequest & Tries & { requestId: string };

type Options = BuryOptions & {
  /** Holds the events that are accepted and not finished. */
  file: string;
  findFunction: (name: string) => LocalFunction | undefined;
  configs: readonly InvokeConfig[];
  clock: PlatformClock;
  onReport: (report: InvocationReport) => void;
  /** An attempt fails with this error instead of running the function. */
  failInvocation?: FailureHook | undefined;
};

/** As many events as a function has at work at once. (On AWS it is ten in a new account; a laptop has less memory.) */
const MOST_EVENTS_AT_ONCE = 4;

export class AsynchronousInvocations {
  readonly #options: Options;
  readonly #unfinished: DurableMap<Invocation>;
  readonly #enter: Turnstile = createTurnstile(MOST_EVENTS_AT_ONCE);
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();

  constructor(options: Options) {
    this.#options = options;
    this.#unfinished = openDurableMap(options.file);
  }

  /**
   * Accepts an invocation. One by an event lies in the file when this returns, and is gone on with at the next start where this run ends before it
   * is finished; a tick is not kept, because the next one stands for it. Returns Lambda's refusal where there is no such function.
   */
  start(request: InvocationRequest): InvocationError | null {
    const target = this.#options.findFunction(request.functionName);
    if (target === undefined)
      return { errorType: 'ResourceNotFoundException', errorMessage: `Function not found: ${request.functionName}` };
    const invocation = { ...request, requestId: randomUUID(), failures: 0, ageMs: 0 };
    this.#keep(invocation);
    this.#begin(target, invocation);
    return null;
  }

  /** Goes on with what earlier runs have left, without the rest of a wait. */
  resume(): void {
    const { findFunction, onProblem } = this.#options;
    const left = this.#unfinished.entries().map(([, invocation]) => invocation);
    for (const invocation of left) {
      const target = findFunction(invocation.functionName);
      if (target !== undefined) this.#begin(target, invocation);
    }
    const names = left.map(({ functionName }) => functionName).filter((name) => findFunction(name) === undefined);
    if (names.length > 0)
      onProblem(
        `Events for functions that the template has no more: ${names.length} (${[...new Set(names)].join(', ')}). They are kept.`,
      );
  }

  /** Resolves when none is under way; waits for no repeats. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** Begins nothing more; what is accepted and not finished is left to the next start. */
  stop(): void {
    this.#stopping.abort();
  }

  /** After `stop`, and after the last call of `start`. */
  close(): void {
    this.#unfinished.close();
  }

  #begin(target: LocalFunction, invocation: Invocation): void {
    this.#run(target, invocation).catch((error: unknown) => {
      if (!this.#stopping.signal.aborted) throw error;
    });
  }

  async #run(target: LocalFunction, accepted: Invocation): Promise<void> {
    const { configs, clock } = this.#options;
    const limits = invokeConfigOf(configs, accepted.functionName, accepted.qualifier);
    let invocation = accepted;
    for (;;) {
      const begunAt = Date.now();
      const { error } = await this.#attempt(target, invocation);
      if (this.#stopping.signal.aborted) return;
      if (error === undefined) break;
      const { failures, ageMs } = invocation;
      invocation = { ...invocation, failures: failures + 1, ageMs: ageMs + Date.now() - begunAt };
      const next = afterFailedInvocation(invocation, limits);
      if ('givenUp' in next) {
        this.#giveUp(invocation, target.arn, next.givenUp, error);
        break;
      }
      // A wait counts as long as it would be on AWS.
      invocation = { ...invocation, ageMs: invocation.ageMs + next.waitMs };
      this.#keep(invocation);
      await clock.wait(next.waitMs, this.#stopping.signal);
    }
    this.#unfinished.delete(accepted.requestId);
  }

  async #attempt(target: LocalFunction, invocation: Invocation): Promise<Outcome> {
    const attempt = this.#runOnce(target, invocation);
    this.#underWay.add(attempt);
    return await attempt.finally(() => this.#underWay.delete(attempt));
  }

  async #runOnce(target: LocalFunction, invocation: Invocation): Promise<Outcome> {
    const { functionName, trigger, payload, traceHeader, requestId, failures } = invocation;
    using _place = trigger === 'event' ? await this.#enter(functionName) : null;
    const { failInvocation = () => null, onReport } = this.#options;
    const error = failInvocation(functionName, trigger);
    const outcome =
      error === null ? await target.invoke(payload, traceHeader, requestId) : { requestId, error, durationMs: 0 };
    if (!this.#stopping.signal.aborted) onReport({ ...outcome, functionName, trigger, repeat: failures });
    return outcome;
  }

  #giveUp(invocation: Invocation, functionArn: string, condition: InvocationCondition, error: InvocationError): void {
    const { functionName, qualifier, trigger } = invocation;
    const { onFailureArn: queueArn } = invokeConfigOf(this.#options.configs, functionName, qualifier);
    // A tick without a destination is worth nothing: the next one does what it would have done.
    if (queueArn === null && trigger === 'tick') return;
    const body = invocationRecord({ ...invocation, functionArn, condition, error, now: Date.now() });
    bury(this.#options, { queueArn, body, target: functionName, reason: reasonOf(error) });
  }

  #keep(invocation: Invocation): void {
    if (invocation.trigger === 'event') this.#unfinished.set(invocation.requestId, invocation);
  }
}
