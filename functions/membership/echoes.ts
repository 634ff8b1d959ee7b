// Secrets that a service repeats where names are learned, stored or printed. Pure.
import { isJsonObject, type JsonValue } from '../shared/json.ts';

/** Whether a text has in it what the session holds, of at least so many characters (6). */
export type IsEcho = (text: string, least?: number) => boolean;

/** A shorter password would be found in ordinary words. */
const MIN_LENGTH = 6;

/** Finds secrets in a text, whatever its capitals, and in the pointer to a member. */
export function echoOf(secrets: readonly string[]): IsEcho {
  const wanted = secrets.filter(({ length }) => length >= MIN_LENGTH).map((secret) => secret.toLowerCase());
  return (text, least = MIN_LENGTH) => {
    const texts = [text.toLowerCase(), text.replaceAll('~1', '/').replaceAll('~0', '~').toLowerCase()];
    return wanted.some((secret) => secret.length >= least && texts.some((one) => one.includes(secret)));
  };
}

/** A value without the members whose names are echoes, so many levels down. */
export function withoutEchoedNames<Value extends JsonValue>(value: Value, isEcho: IsEcho, depth = Infinity): Value {
  if (depth === 0) return value;
  const inner = <Each extends JsonValue>(each: Each): Each => withoutEchoedNames(each, isEcho, depth - 1);
  if (Array.isArray(value)) return value.map(inner) as Value;
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !isEcho(name));
  return Object.fromEntries(kept.map(([name, member]) => [name, inner(member)])) as Value;
}
