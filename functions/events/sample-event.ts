// Events for the tests of consumers: those of the catalogue, which are also the samples in docs/events.
import { CATALOGUE } from './catalogue/catalogue.ts';
import type { TypedEvent } from './typed-event.ts';

/** Any part of a value, at any depth. Lists are whole. */
type Part<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { [Name in keyof Value]?: Part<Value[Name]> }
    : Value;

type EventOf<Type extends TypedEvent['detail-type']> = Extract<TypedEvent, { 'detail-type': Type }>;

/**
 * Returns a whole event of this detail type as EventBridge delivers it, with `over` laid over it: objects are merged at
 * any depth, everything else is replaced, and `undefined` leaves a field out. Each event is a copy of its own. The
 * samples of one type have one `detail.metadata.id`: give the second of two different events another.
 */
export function sampleEvent<Type extends TypedEvent['detail-type']>(
  type: Type,
  over: Part<EventOf<Type>> = {} as Part<EventOf<Type>>,
): EventOf<Type> {
  const found = CATALOGUE.find((catalogued) => catalogued.type === type);
  if (found === undefined) throw new RangeError(`There is no ${type}. There are ${namesOf(CATALOGUE)}.`);
  return laidOver(structuredClone(found.example), structuredClone(over)) as EventOf<Type>;
}

function namesOf(catalogue: readonly { type: string }[]): string {
  return catalogue.map(({ type }) => type).join(', ');
}

function laidOver(under: unknown, over: unknown): unknown {
  if (!isObject(under) || !isObject(over)) return over;
  const laid = Object.entries(over).map(([name, value]) => [name, laidOver(under[name], value)] as const);
  const kept = [...Object.entries(under), ...laid].filter(([name]) => !(name in over && over[name] === undefined));
  return Object.fromEntries(kept);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
