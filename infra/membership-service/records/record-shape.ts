// How a thing of the model becomes a record and back: the names are a matter of style, flat or nested, and known here alone. Pure.
import type { JsonObject, JsonValue } from '../../../functions/shared/json.ts';
import { Refused } from '../http/answers.ts';

/** Two sets of names. The interface document shows no field of a record (A27), so nobody may rely on either. */
export type RecordStyle = 'long' | 'short';

/** Where each field of the model stands in a record of either style; a dot leads into an inner object. Null: not in such records. */
export type Shape<Model> = { readonly [Field in keyof Model]-?: readonly [long: string, short: string | null] };

/** Writes a thing of the model as a record. A field that it does not have is null. */
export function toRecord<Model extends object>(shape: Shape<Model>, style: RecordStyle, model: Model): JsonObject {
  const record: JsonObject = {};
  for (const field of fieldsOf(shape)) {
    const path = pathOf(shape, style, field);
    if (path !== null) put(record, path.split('.'), valueOf(model, field));
  }
  return record;
}

/** The field of the model that a filter or a sender means by a name: its path, or the last step of it. Null where no field has the name. */
export function fieldNamed<Model extends object>(
  shape: Shape<Model>,
  style: RecordStyle,
  name: string,
): keyof Model | null {
  const paths = fieldsOf(shape).map((field) => [field, pathOf(shape, style, field)] as const);
  return paths.find(([, path]) => path === name || path?.split('.').at(-1) === name)?.[0] ?? null;
}

/** What was sent of a record, read by the model's names. Each throws Refused, with the name that the sender knows. */
export type SentFields<Model> = {
  /** Null where it is absent, null or blank. */
  text(field: keyof Model): string | null;
  requiredText(field: keyof Model): string;
  /** A number above 0. None beyond 2^53, of which JavaScript would keep another than was sent. */
  amount(field: keyof Model): number;
  /** At least one text, each once. */
  texts(field: keyof Model): string[];
  flag(field: keyof Model): boolean;
};

/** Reads the fields of a body. What a record of that style does not have is passed over. `status` refuses a field of the wrong kind. */
export function sentFields<Model extends object>(
  shape: Shape<Model>,
  { style, status, body }: { style: RecordStyle; status: number; body: JsonObject },
): SentFields<Model> {
  const nameOf = (field: keyof Model): string => pathOf(shape, style, field) ?? String(field);
  const valueOf = (field: keyof Model): JsonValue => get(body, nameOf(field).split('.'));
  const refuse = (field: keyof Model, must: string): never => {
    throw new Refused(status, `${nameOf(field)} must be ${must}.`);
  };
  const text = (field: keyof Model): string | null => {
    const value = valueOf(field) ?? '';
    if (typeof value !== 'string') return refuse(field, 'a text');
    return value.trim() === '' ? null : value;
  };
  return {
    text,
    requiredText: (field) => text(field) ?? refuse(field, 'a text that is not blank'),
    amount: (field) => {
      const value = valueOf(field);
      const isAmount = typeof value === 'number' && value > 0 && value <= Number.MAX_SAFE_INTEGER;
      return isAmount ? value : refuse(field, 'a number above 0 and below 2^53');
    },
    texts: (field) => {
      const value = valueOf(field);
      return Array.isArray(value) && value.length > 0
        ? [...new Set(value.map(String))]
        : refuse(field, 'a list of ids');
    },
    flag: (field) => {
      const value = valueOf(field) ?? false;
      return typeof value === 'boolean' ? value : refuse(field, 'true or false');
    },
  };
}

function fieldsOf<Model extends object>(shape: Shape<Model>): (keyof Model & string)[] {
  return Object.keys(shape) as (keyof Model & string)[];
}

function pathOf<Model extends object>(shape: Shape<Model>, style: RecordStyle, field: keyof Model): string | null {
  return shape[field][style === 'long' ? 0 : 1];
}

function valueOf<Model extends object>(model: Model, field: keyof Model): JsonValue {
  return (model as Record<keyof Model, JsonValue | undefined>)[field] ?? null;
}

function put(record: JsonObject, [step = '', ...rest]: readonly string[], value: JsonValue): void {
  if (rest.length === 0) {
    record[step] = value;
    return;
  }
  record[step] ??= {};
  put(record[step] as JsonObject, rest, value);
}

function get(record: JsonValue, steps: readonly string[]): JsonValue {
  let value: JsonValue | undefined = record;
  for (const step of steps) {
    const isInner: boolean = typeof value === 'object' && value !== null && Object.hasOwn(value, step);
    value = isInner ? (value as JsonObject)[step] : undefined;
  }
  return value ?? null;
}
