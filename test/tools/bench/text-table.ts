// Text tables: the first column is left-aligned, figures are right-aligned.

export type Row = readonly string[];

/** Lines of one width; an empty row is an empty line. */
export function textTable(rows: readonly Row[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

/** Dollars and cents; a positive amount below half a cent says so. */
export function dollars(amount: number): string {
  if (amount === 0) return '-';
  return amount < 0.005 ? '<0.01' : amount.toFixed(2);
}

/** A count with thousands set apart, with as many decimals as tell small ones apart. */
export function figure(value: number): string {
  const digits = value !== 0 && Math.abs(value) < 10 ? 2 : value < 100 ? 1 : 0;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits });
}
