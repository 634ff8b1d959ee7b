// A consumer's handler, from one function per detail type.
import { parse } from './parse.ts';
import type { TypedEvent } from './typed-event.ts';

/** What takes an event of this detail type; `context` is whatever the handler was called with beside the event: Lambda's context. */
export type EventHandler<Type extends TypedEvent['detail-type'], Context = void> = (
  event: Extract<TypedEvent, { 'detail-type': Type }>,
  context: Context,
) => unknown;

export type EventHandlers<Context = void> = {
  [Type in TypedEvent['detail-type']]?: EventHandler<Type, Context>;
};

export type OnOptions<Context = void> = {
  /** Is given the events that no handler takes; without it they are passed over. */
  otherwise?: (event: TypedEvent, context: Context) => unknown;
};

/**
 * Makes the handler of a Lambda function that EventBridge invokes: each event goes to the function of its detail type, whose parameter has its type. Resolves when that
 * has; rejects with what it rejects with, and with EventInvalid for what is no event of the bridge.
 */
export function on<Context = void>(
  handlers: EventHandlers<Context>,
  { otherwise = () => {} }: OnOptions<Context> = {},
): (input: unknown, context: Context) => Promise<void> {
  return async (input, context) => {
    const event = parse(input);
    const type = event['detail-type'];
    const handler = Object.hasOwn(handlers, type) ? (handlers[type] as typeof otherwise | undefined) : undefined;
    await (handler ?? otherwise)(event, context);
  };
}
