// Generates docs/fault-matrix.md.
import { KINDS, type HeldBy, type Row } from './matrix.ts';

export type Circumstances = { date: string; commit: string; machine: string; node: string };

const RESULTS = { green: 'green', red: '**red**', later: 'comes later' } as const;

/** The text of docs/fault-matrix.md. Links are relative to that file. */
export function toDocument(rows: readonly Row[], { date, commit, machine, node }: Circumstances): string {
  const count = (result: Row['result']): number => rows.filter((row) => row.result === result).length;
  const summary = `${count('green')} green, ${count('red')} red, ${count('later')} to come.`;
  return `# Fault matrix

What goes wrong for those who poll an API and push events, and the tests that make it happen. Written by \`npm run matrix\`, which fails where a row whose feature exists
has no green test. Do not edit it by hand.

${summary} Run on ${date}, commit ${commit}, ${machine}, Node ${node}.

How a test makes its failure happen:

| Kind | How |
| --- | --- |
${Object.entries(KINDS)
  .map(([kind, how]) => `| ${kind} | ${how} |`)
  .join('\n')}

A number in brackets counts the cases of a table. Unit tests are named by their file.

## Reading the source

${toTable(rows.filter(({ number }) => number.startsWith('S')))}

## Delivering

${toTable(rows.filter(({ number }) => number.startsWith('D')))}
`;
}

function toTable(rows: readonly Row[]): string {
  const lines = rows.map(({ number, failure, result, tests, ...more }) => {
    const cells = [number, failure, resultCell(result, more), toCell(tests)];
    return `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
  });
  return ['| # | Failure | Result | Tests |', '| --- | --- | --- | --- |', ...lines].join('\n');
}

function resultCell(result: Row['result'], { later, note }: Pick<Row, 'later' | 'note'>): string {
  const said = result === 'later' ? `${RESULTS.later}, with ${later}` : RESULTS[result];
  return note === undefined ? said : `${said}. ${note}`;
}

/** The tests by title, in source order. Unit tests are named by file, because there are many. */
function toCell(tests: readonly HeldBy[]): string {
  const named = tests
    .filter(({ kind }) => kind !== 'unit')
    .map((test) => `${test.kind}: ${link(test.file, test.title)}${suffix(test)}`);
  const units = [
    ...Map.groupBy(
      tests.filter(({ kind }) => kind === 'unit'),
      ({ file }) => file,
    ),
  ].map(([file, held]) => `${link(file, fileName(file))}${suffix(sum(held))}`);
  return [...named, ...(units.length === 0 ? [] : [`unit: ${units.join(', ')}`])].join('<br>');
}

function sum(tests: readonly HeldBy[]): Pick<HeldBy, 'cases' | 'red'> {
  return {
    cases: tests.reduce((all, { cases }) => all + cases, 0),
    red: tests.reduce((all, { red }) => all + red, 0),
  };
}

function suffix({ cases, red }: Pick<HeldBy, 'cases' | 'red'>): string {
  if (red > 0) return ` **(${red} of ${cases} red)**`;
  return cases > 1 ? ` (${cases})` : '';
}

function link(file: string, text: string): string {
  return `[${text.replaceAll(/[[\]<>*_\\`]/g, String.raw`\$&`)}](../${file})`;
}

function fileName(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1);
}
