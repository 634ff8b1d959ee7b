// Titles of tests as they stand in the source: what a report says of each case of a table belongs to one of them.

/** A text in quotes, on one line. */
const LITERAL = /'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\])*)`/g;
/** What vitest or JavaScript fills in. */
const FILLED_IN = /%[sdifjo#%$]|\$\{[^}]*\}|\$[\w.]+/g;

/** All texts in quotes of a source, escapes undone. */
export function literalsOf(source: string): string[] {
  return [...source.matchAll(LITERAL)].map((match) =>
    (match[1] ?? match[2] ?? match[3] ?? '').replaceAll(/\\(['"`\\])/g, '$1'),
  );
}

/** The text in the source that a title was made from: itself, or the longest that it is a case of; null where there is none. */
export function titleInSource(title: string, literals: readonly string[]): string | null {
  if (literals.includes(title)) return title;
  const templates = literals.filter((literal) => literal.length > 5 && isCaseOf(title, literal));
  return templates.toSorted((a, b) => b.length - a.length)[0] ?? null;
}

function isCaseOf(title: string, template: string): boolean {
  const fixed = template.split(FILLED_IN);
  if (fixed.length === 1 || fixed.join('').length < 4) return false;
  const pattern = fixed.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)).join('[^]*');
  return new RegExp(`^${pattern}$`).test(title);
}

/** The scenarios that a title names. */
export function numbersIn(title: string): string[] {
  const ranges = [...title.matchAll(/\b([SD])(\d{2})(?: to [SD](\d{2}))?/g)];
  return [
    ...new Set(
      ranges.flatMap(([, kind = '', first = '', last = first]) =>
        Array.from(
          { length: Number(last) - Number(first) + 1 },
          (_, index) => `${kind}${String(Number(first) + index).padStart(2, '0')}`,
        ),
      ),
    ),
  ];
}
