// JSON Schema (draft 2020-12) with the type of the described value, so that types are derived from schemas.

declare const mark: unique symbol;

/** A schema of a `Value`. Only the compiler knows the mark: no schema has it at run time. */
export type Schema<Value = unknown> = Readonly<Record<string, unknown>> & { readonly [mark]?: Value };

/** The type that a schema describes. */
export type ValueOf<Described> = Described extends Schema<infer Value> ? Value : never;

type Part<Value> = (description: string) => Schema<Value>;

function part<Value>(schema: Readonly<Record<string, unknown>>): Part<Value> {
  return (description) => ({ ...schema, description });
}

export const text: Part<string> = part({ type: 'string' });
export const texts: Part<string[]> = part({ type: 'array', items: { type: 'string' } });
export const textOrNull: Part<string | null> = part({ type: ['string', 'null'] });
export const flag: Part<boolean> = part({ type: 'boolean' });
/** From 0. */
export const count: Part<number> = part({ type: 'integer', minimum: 0 });
export const uuid: Part<string> = part({ type: 'string', format: 'uuid' });

/** UTC, ISO 8601 with milliseconds. */
const INSTANT = { type: 'string', format: 'date-time', pattern: String.raw`\.\d{3}Z$` };
export const instant: Part<string> = part(INSTANT);
export const instantOrNull: Part<string | null> = part({ anyOf: [INSTANT, { type: 'null' }] });

const DAY = { type: 'string', format: 'date' };
export const day: Part<string> = part(DAY);
export const dayOrNull: Part<string | null> = part({ anyOf: [DAY, { type: 'null' }] });

/** In hex, lower case. */
const SHA256 = { type: 'string', pattern: '^[0-9a-f]{64}$' };
export const sha256: Part<string> = part(SHA256);
export const sha256OrNull: Part<string | null> = part({ anyOf: [SHA256, { type: 'null' }] });

export function oneOf<const Value extends string>(values: readonly Value[], description: string): Schema<Value> {
  return { enum: values, description };
}

type Members = Readonly<Record<string, Schema>>;
type Flat<Value> = { [Name in keyof Value]: Value[Name] };
type Needed<Of> = { [Name in keyof Of]: ValueOf<Of[Name]> };
type Optional<Of> = { [Name in keyof Of]?: ValueOf<Of[Name]> };

/** Required and optional members. Allows others, because later versions may add some. */
export function object<Needs extends Members>(needed: Needs): Schema<Needed<Needs>>;
export function object<Needs extends Members, Allows extends Members>(
  needed: Needs,
  optional: Allows,
): Schema<Flat<Needed<Needs> & Optional<Allows>>>;
export function object(needed: Members, optional: Members = {}): Schema {
  return { type: 'object', properties: { ...needed, ...optional }, required: Object.keys(needed) };
}

export function described<Value>(schema: Schema<Value>, description: string): Schema<Value> {
  return { ...schema, description };
}
