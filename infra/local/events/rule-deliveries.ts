// How an event that a rule has taken reaches the rule's targets: at once where they take it, again and again where they refuse it, and in the
// end in the target's dead-letter queue.
import { randomUUID } from 'node:crypto';
import { bury, type BuryOptions, deliveryAttributes, reasonOf } from '../sqs/dead-letters.ts';
import { type DurableMap, openDurableMap } from '../cloud/durable-map.ts';
import type { InvocationError } from '../lambda/function-child.ts';
import type { PlatformClock } from '../cloud/platform-clock.ts';
import { afterRefusedDelivery, type DeliveryCondition, type Tries } from '../lambda/retry-policy.ts';
import type { Destination, TargetDefinition } from './rule-definition.ts';

export type Delivery = {
  ruleArn: string;
  target: TargetDefinition;
  payload: string;
  traceHeader?: string | undefined;
};

/** A delivery that was refused and is to be repeated. */
type Refused = Delivery & Tries & { id: string };

type Options = BuryOptions & {
  /** Holds the deliveries that wait for a repeat. */
  file: string;
  clock: PlatformClock;
  /** Hands an event to its target, which has it for good when this returns null. */
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

  /** When this returns, the event is with its target or in its dead-letter queue, or lies in the file and is delivered again. */
  deliver(delivery: Delivery): void {
    this.#try({ ...delivery, id: randomUUID(), failures: 0, ageMs: 0 });
  }

  /** Goes on with what earlier runs have left, without the rest of a wait. */
  resume(): void {
    for (const [, refused] of this.#refused.entries()) this.#try(refused);
  }

  /** Repeats nothing more; what waits is left to the next start. */
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
    else this.#takeBack({ ...delivery, failures: delivery.failures + 1 }, error);
  }

  #takeBack(refused: Refused, error: InvocationError): void {
    const next = afterRefusedDelivery(refused, refused.target, error);
    if ('givenUp' in next) {
      this.#giveUp(refused, next.givenUp, error);
      this.#refused.delete(refused.id);
      return;
    }
    // A wait counts as long as it would be on AWS; handing over takes no time.
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
    bury(this.#options, {
      queueArn: target.deadLetterArn,
      body: payload,
      attributes: deliveryAttributes({ ruleArn, targetArn: target.arn, error, condition, failures }),
      target: nameOf(target.destination),
      reason: reasonOf(error),
    });
  }
}

function nameOf(destination: Destination): string {
  return destination.kind === 'queue' ? destination.arn : destination.name;
}
