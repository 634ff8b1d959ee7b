// Texts with gaps: what lies between the asterisks of a wildcard, found in another text.

/** Whether `text` is these parts in this order, the first at its begin and the last at its end, with anything between them. Takes time linear in the text. */
export function isMadeOf(parts: readonly string[], text: string): boolean {
  const [head = '', ...rest] = parts;
  const tail = rest.pop();
  if (tail === undefined) return text === head;
  if (!text.startsWith(head) || !text.endsWith(tail)) return false;
  let at = head.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - tail.length;
}
