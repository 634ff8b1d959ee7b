// Which tests take the time of a run, and what each is for.
import type { Report } from '../matrix/matrix.ts';

type Slow = { seconds: number; file: string; tests: number; what: string };

/** The slowest files with what they say of themselves, and the slowest tests, by their time. */
export function slowestOf({ testResults }: Report, readFile: (file: string) => string, limit: number) {
  const files = testResults.map(({ name: file, assertionResults }): Slow => {
    const durations = assertionResults.map(({ duration }) => duration ?? 0);
    const seconds = durations.reduce((sum, ms) => sum + ms, 0) / 1_000;
    return { seconds, file, tests: assertionResults.length, what: firstComment(readFile(file)) };
  });
  const tests = testResults.flatMap(({ name: file, assertionResults }) =>
    assertionResults.map(({ ancestorTitles, title, duration }): Slow => {
      const what = [...ancestorTitles, title].filter((part) => part !== '').join(' › ');
      return { seconds: (duration ?? 0) / 1_000, file, tests: 1, what };
    }),
  );
  return { files: longestOf(files, limit), tests: longestOf(tests, limit) };
}

/** Two tables in Markdown. */
export function toText({ files, tests }: ReturnType<typeof slowestOf>): string {
  const rows = [
    '| Seconds | File | Tests | For |',
    '|---:|---|---:|---|',
    ...files.map(({ seconds, file, tests: count, what }) => `| ${rounded(seconds)} | ${file} | ${count} | ${what} |`),
    '',
    '| Seconds | Test | In |',
    '|---:|---|---|',
    ...tests.map(({ seconds, file, what }) => `| ${rounded(seconds)} | ${what} | ${file} |`),
  ];
  return rows.join('\n');
}

function longestOf(slow: readonly Slow[], limit: number): Slow[] {
  return slow.toSorted((a, b) => b.seconds - a.seconds).slice(0, limit);
}

/** The lines of the comment that a file begins with. */
function firstComment(text: string): string {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return lines
    .slice(0, end)
    .map((line) => line.slice(2).trim())
    .join(' ');
}

function rounded(seconds: number): string {
  return seconds.toFixed(1);
}
