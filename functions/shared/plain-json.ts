/** A text as JSON whose numbers are those of JavaScript; null for what is no JSON. */
export function plainJsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
