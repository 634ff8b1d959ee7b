// A consumer's handler, made from one function per detail type.
import { parse } from './parse.ts';
import type { TypedEvent } from './typed-event.ts';

/** Handles events of a detail type. `context` is the handler's second argument: Lambda's context. */
export type EventHandler<Type extends TypedEvent['detail-type'], Context = void> = (
  event: Extract<TypedEvent, { 'detail-type': Type }>,
  context: Context,
) => unknown;

export type EventHandlers<Context = void> = {
  [Type in TypedEvent['detail-type']]?: EventHandler<Type, Context>;
};

export type OnOptions<Context = void> = {
  /** Handles all other events. Default: they are ignored. */
  otherwise?: (event: TypedEvent, context: Context) => unknown;
};

/**
 * Makes the handler of a Lambda function that EventBridge invokes. Calls the function of the event's detail type, and
 * settles like it. Rejects with EventInvalid for input that is not an event of the bridge.
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
