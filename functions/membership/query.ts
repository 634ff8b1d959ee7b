// Query strings: every value arrives byte for byte as it was given. Pure.

export type Query = readonly (readonly [name: string, value: string])[] | Readonly<Record<string, string>>;

/** Writes a query with its leading `?`, in the order given; empty for no parameters. Everything but letters, digits and `-._~` is percent-encoded as UTF-8. */
export function encodeQuery(query: Query = []): string {
  const pairs = isPairs(query) ? query : Object.entries(query);
  const text = pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
  return text === '' ? '' : `?${text}`;
}

function isPairs(query: Query): query is readonly (readonly [string, string])[] {
  return Array.isArray(query);
}

/** A lone surrogate has no bytes in UTF-8 and becomes U+FFFD; the rest of `!'()*` is encoded for the sake of strict firewalls. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
