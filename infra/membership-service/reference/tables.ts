// Tables and code in Markdown.

export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [line(header), `|${header.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

export function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

function line(cells: readonly string[]): string {
  return `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell.replaceAll('|', String.raw`\|`)} `)).join('|')}|`;
}
