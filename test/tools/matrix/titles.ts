// Titles of tests in the source. The title of each case in a report is made from one of them.

/** A string literal. */
const LITERAL = /'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\])*)`/g;
/** Placeholders of vitest and JavaScript. */
const FILLED_IN = /%[sdifjo#%$]|\$\{[^}]*\}|\$[\w.]+/g;

/** All string literals of a source, unescaped. */
export function literalsOf(source: string): string[] {
  return [...source.matchAll(LITERAL)].map((match) =>
    (match[1] ?? match[2] ?? match[3] ?? '').replaceAll(/\\(['"`\\])/g, '$1'),
  );
}

/** The literal that a title was made from: itself, or the longest one whose placeholders match; null if none does. */
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
