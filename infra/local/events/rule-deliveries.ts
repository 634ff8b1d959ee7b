// Delivers matched events to the targets of rules: immediately if the target accepts them, with retries if it refuses,
// and finally to the target's dead-letter queue.
import { randomUUID } from 'node:crypto';
import { type DeadLetterOptions, deliveryAttributes, reasonOf, sendToDeadLetters } from '../lambda/dead-letters.ts';
import { type DurableMap, openDurableMap } from '../platform/durable-map.ts';
import type { InvocationError } from '../lambda/function-child.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import { afterRefusedDelivery, type DeliveryCondition, type Tries } from '../lambda/retry-policy.ts';
import { nameOf, type TargetDefinition } from './rule-definition.ts';

export type Delivery = {
  ruleArn: string;
  target: TargetDefinition;
  payload: string;
  traceHeader?: string | undefined;
};

/** A delivery that was refused and will be retried. */
type Refused = Delivery & Tries & { id: string };

type Options = DeadLetterOptions & {
  /** Holds the deliveries that wait for a retry. */
  file: string;
  clock: PlatformClock;
  /** Passes an event to its target, which owns it once this returns null. */
  handOver: (delivery: Delivery) => InvocationError | null;
};

export class RuleDeliveries {
  readonly #options: Options;
  readonly #refused: DurableMap<Refused>;
  readonly #stopping = new AbortController();

  constructor(options: Options) {
    this.#options = options;
    this.#refused = openDurableMap(options.file);
  }

  /** When this returns, the event is with its target, in its dead-letter queue, or in the file for a retry. */
  deliver(delivery: Delivery): void {
    this.#try({ ...delivery, id: randomUUID(), failures: 0, ageMs: 0 });
  }

  /** Continues what earlier runs left, without the rest of a wait. */
  resume(): void {
    for (const [, refused] of this.#refused.entries()) this.#try(refused);
  }

  /** Stops retrying. The next run continues what waits. */
  stop(): void {
    this.#stopping.abort();
  }

  /** After `stop`, and after the last call of `deliver`. */
  close(): void {
    this.#refused.close();
  }

  #try(delivery: Refused): void {
    const error = this.#options.handOver(delivery);
    if (error === null) this.#refused.delete(delivery.id);
    else this.#retryLater({ ...delivery, failures: delivery.failures + 1 }, error);
  }

  #retryLater(refused: Refused, error: InvocationError): void {
    const next = afterRefusedDelivery(refused, refused.target, error);
    if ('givenUp' in next) {
      this.#giveUp(refused, next.givenUp, error);
      this.#refused.delete(refused.id);
      return;
    }
    // A wait counts with its length on AWS; passing an event on takes no time.
    const waiting = { ...refused, ageMs: refused.ageMs + next.waitMs };
    this.#refused.set(refused.id, waiting);
    void this.#options.clock.wait(next.waitMs, this.#stopping.signal).then(
      () => this.#try(waiting),
      () => {},
    );
  }

  #giveUp(
    { ruleArn, target, payload, failures }: Refused,
    condition: DeliveryCondition | null,
    error: InvocationError,
  ): void {
    sendToDeadLetters(this.#options, {
      queueArn: target.deadLetterArn,
      body: payload,
      attributes: deliveryAttributes({ ruleArn, targetArn: target.arn, error, condition, failures }),
      target: nameOf(target.destination),
      reason: reasonOf(error),
    });
  }
}
