// The texts and numbers in JSON of an unknown shape. Pure.
import { isJsonObject, MAX_NAME_LENGTH, scalarText, type JsonObject, type JsonValue } from '../../../shared/json.ts';

/** Fields of one object that are looked at. */
const MAX_FIELDS = 500;

/** The texts and numbers in an object that are not blank, with their JSON pointers, to a depth. Lists are left out. */
export function scalarsIn(
  value: JsonObject,
  depth: number,
  prefix = '',
): { pointer: string; value: JsonValue; text: string }[] {
  const named = Object.entries(value).filter(([name]) => name.length <= MAX_NAME_LENGTH);
  const found = named.flatMap(([name, member]) => {
    const pointer = `${prefix}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (isJsonObject(member)) return depth > 1 ? scalarsIn(member, depth - 1, pointer) : [];
    const text = scalarText(member)?.trim() ?? '';
    return text === '' ? [] : [{ pointer, value: member, text }];
  });
  return found.slice(0, MAX_FIELDS);
}
