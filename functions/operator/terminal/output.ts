// Where a command writes: tables and wrapped text on a terminal, plain lines in a pipe.
import { printable, printableLines } from '../../shared/printable.ts';
import { count, wrapped } from './text-layout.ts';

/** Writes lines for people. Nothing in them controls the terminal, whoever wrote the text. */
export type Output = {
  /** The columns of the terminal; null for a pipe or a file. */
  readonly columns: number | null;
  /** Writes a line. On a terminal it is wrapped between words, and further lines begin with `indent`. */
  line(text?: string, indent?: string): void;
  /** Writes a table. Its last column takes the space that is left on a terminal; in a pipe, tabs separate columns. */
  table(head: readonly string[], rows: readonly (readonly string[])[]): void;
  /** Writes a value as one JSON text. */
  json(value: unknown): void;
  /** Writes a value as JSON on one line. */
  jsonLine(value: unknown): void;
  /** Writes a line that is no result: to standard error. */
  note(text: string): void;
  /** Shows how much of `total` is done: a bar on a terminal, a line at every tenth elsewhere; on standard error. */
  progress(what: string, total: number): Progress;
  /** Clears a terminal; does nothing elsewhere. */
  clear(): void;
};

export type Progress = { show: (done: number) => void; end: () => void };

type Stream = { isTTY?: boolean | undefined; columns?: number | undefined; write(text: string): unknown };

const CLEAR = '\u001B[2J\u001B[H';
/** A wider terminal is not filled: long lines are hard to read. */
const MAX_COLUMNS = 120;

export function createOutput({ out, err }: { out: Stream; err: Stream }): Output {
  const columns = out.isTTY === true ? Math.min(out.columns ?? 80, MAX_COLUMNS) : null;
  const write = (...cells: string[]): void => void out.write(`${cells.map(printable).join('\t')}\n`);
  return {
    columns,
    line(text = '', indent = '') {
      if (columns === null) return write(text);
      const [lead = ''] = /^ */.exec(text) ?? [];
      const hanging = lead.length > indent.length ? lead : indent;
      const [first = '', ...rest] = wrapped(text.slice(lead.length), hanging, columns);
      for (const line of [lead + first.slice(hanging.length), ...rest]) write(line);
    },
    table: (head, rows) => {
      // In a pipe without the head, so that each line is one row.
      if (columns === null) for (const row of rows) write(...row);
      else for (const line of tableLines([head, ...rows], columns)) write(line);
    },
    json: (value) => void out.write(`${printableLines(JSON.stringify(value, null, 2))}\n`),
    jsonLine: (value) => write(JSON.stringify(value)),
    note: (text) => void err.write(`${printableLines(text)}\n`),
    progress: (what, total) => createProgress(err, what, total),
    clear: () => void (columns === null || out.write(CLEAR)),
  };
}

const BAR = 30;
const CLEAR_LINE = '\r\u001B[K';

function createProgress(err: Stream, what: string, total: number): Progress {
  const isTerminal = err.isTTY === true;
  let shown = 0;
  return {
    show(done) {
      // The number was approximate.
      const share = Math.min(1, done / Math.max(1, total));
      const tenth = Math.floor(share * 10);
      const text = `${Math.floor(share * 100)} %, ${count(done)} of ${count(Math.max(done, total))} ${what}`;
      const bar = '#'.repeat(Math.round(share * BAR)).padEnd(BAR, '.');
      if (isTerminal) err.write(`${CLEAR_LINE}[${bar}] ${text}`);
      else if (tenth > shown) err.write(`${text}\n`);
      shown = tenth;
    },
    end: () => void (isTerminal && err.write(CLEAR_LINE)),
  };
}

/** Rows in columns that fit `width`: what is too long in the last one is cut off, with an ellipsis. */
export function tableLines(rows: readonly (readonly string[])[], width: number): string[] {
  const columns = Math.max(0, ...rows.map(({ length }) => length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    cut(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
      width,
    ),
  );
}

function cut(line: string, width: number): string {
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
}
