// A consumer's handler, from one function per detail type.
import { parse } from './parse.ts';
import type { TypedEvent } from './typed-event.ts';

type EventOf<Type extends TypedEvent['detail-type']> = Extract<TypedEvent, { 'detail-type': Type }>;

export type EventHandlers = {
  [Type in TypedEvent['detail-type']]?: (event: EventOf<Type>) => unknown;
};

export type OnOptions = {
  /** Is given the events that no handler takes; without it they are passed over. */
  otherwise?: (event: TypedEvent) => unknown;
};

/**
 * Makes the handler of a Lambda function that EventBridge invokes: each event goes to the function of its detail type, whose parameter has its type. Resolves when that
 * has; rejects with what it rejects with, and with EventInvalid for what is no event of the bridge.
 */
export function on(
  handlers: EventHandlers,
  { otherwise = () => {} }: OnOptions = {},
): (input: unknown) => Promise<void> {
  return async (input) => {
    const event = parse(input);
    const type = event['detail-type'];
    const handler = Object.hasOwn(handlers, type) ? (handlers[type] as OnOptions['otherwise']) : undefined;
    await (handler ?? otherwise)(event);
  };
}
