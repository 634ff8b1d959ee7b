// Query strings that carry every value byte for byte. Pure.

export type Query = readonly (readonly [name: string, value: string])[] | Readonly<Record<string, string>>;

/**
 * Writes a query with its leading `?` in the given order; empty for no parameters. Percent-encodes everything except
 * letters, digits and `-._~` as UTF-8.
 */
export function encodeQuery(query: Query = []): string {
  const pairs = isPairs(query) ? query : Object.entries(query);
  const text = pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
  return text === '' ? '' : `?${text}`;
}

function isPairs(query: Query): query is readonly (readonly [string, string])[] {
  return Array.isArray(query);
}

/** A lone surrogate becomes U+FFFD. `!'()*` are encoded, too: strict firewalls refuse them. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
