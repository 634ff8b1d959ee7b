const ENTITIES = [
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
] as const;

/** Escapes text for HTML, between tags and in attributes. */
export function escapeHtml(text: string): string {
  return ENTITIES.reduce<string>((escaped, [character, entity]) => escaped.replaceAll(character, entity), text);
}

/** The text that was escaped. */
export function unescapeHtml(html: string): string {
  return ENTITIES.reduceRight<string>((text, [character, entity]) => text.replaceAll(entity, character), html);
}
