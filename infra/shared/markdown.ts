// Markdown of generated documents: tables, code, and prose whose lines have at most 160 columns.
import assert from 'node:assert/strict';

const MAX_COLUMNS = 160;

/** Throws if a row is too long for a line: use a list then. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [line(header), `|${header.map(() => '---|').join('')}`, ...rows.map(line)];
  const long = lines.find((each) => each.length > MAX_COLUMNS);
  assert(long === undefined, `This row of a table has more than ${MAX_COLUMNS} columns: ${long}`);
  return lines.join('\n');
}

export function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** A list with an item for each text. */
export function list(items: readonly string[]): string {
  return items.map((item) => wrapped(`- ${item}`, '  ')).join('\n');
}

/** Breaks a paragraph into lines, indented by `indent` after the first. Text between backticks stays on one line. */
export function wrapped(text: string, indent = ''): string {
  const lines: string[] = [];
  for (const word of text.match(/(?:`[^`]*`|\S)+/g) ?? []) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && longer.length <= MAX_COLUMNS) lines[lines.length - 1] = longer;
    else lines.push(lines.length === 0 ? word : indent + word);
  }
  return lines.join('\n');
}

function line(cells: readonly string[]): string {
  return `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell.replaceAll('|', String.raw`\|`)} `)).join('|')}|`;
}
