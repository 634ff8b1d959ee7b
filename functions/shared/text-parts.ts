// Matches the parts between the asterisks of a wildcard.

/** Whether `text` has these parts in order, the first at its start and the last at its end. Takes linear time. */
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
