// An event as a pattern sees it: its scalars, each with its path and its place in the lists above it.
import { isJsonObject, type JsonObject, type JsonValue, type RawNumber } from '../../shared/json.ts';

/** A scalar of an event. */
export type Leaf = null | boolean | number | string | RawNumber;
export type LeafTest = (leaf: Leaf) => boolean;

/** The element of each list that contains something. The key is the list's number in the event. */
export type Places = ReadonlyMap<number, number>;

type Field = { leaf: Leaf; places: Places };

/** The scalars of an event by path. `{"a.b": 1}` and `{"a": {"b": 1}}` have the same path; lists add nothing to it. */
export type Fields = ReadonlyMap<string, readonly Field[]>;

export function readFields(event: JsonObject): Fields {
  const fields = new Map<string, Field[]>();
  let lists = 0;
  const read = (value: JsonValue, path: string, places: Places): void => {
    if (Array.isArray(value)) {
      const list = lists++;
      for (const [index, element] of value.entries()) {
        // A scalar in a list belongs to no element, so any two of them match together.
        const inElement = isJsonObject(element) || Array.isArray(element);
        read(element, path, inElement ? new Map(places).set(list, index) : places);
      }
    } else if (isJsonObject(value)) {
      for (const [key, member] of Object.entries(value)) read(member, joinPath(path, key), places);
    } else {
      const known = fields.get(path);
      if (known === undefined) fields.set(path, [{ leaf: value, places }]);
      else known.push({ leaf: value, places });
    }
  };
  read(event, '', new Map());
  return fields;
}

export function joinPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

/** Both combined; null if they are in different elements of one list. */
export function together(places: Places, others: Places): Places | null {
  for (const [list, index] of others) if ((places.get(list) ?? index) !== index) return null;
  return others.size === 0 ? places : new Map([...places, ...others]);
}
