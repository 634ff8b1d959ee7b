// The report of a run: the score by folder, and every mutant that survived.
import type { Change } from './operators.ts';
import { shareOfAll } from './sample.ts';

export type Mutant = { id: string; file: string; line: number; original: string; change: Change };
export type Verdict = {
  id: string;
  /** `timeout` counts as killed. `untested` means that no test imports the source, and counts as survived. */
  status: 'killed' | 'timeout' | 'survived' | 'untested';
  /** The test that killed it. */
  by: string | null;
  ms: number;
};
export type Judged = Mutant & Verdict;

export function toReport(judged: readonly Judged[], all: readonly Mutant[]): string {
  const folders = [...new Set(all.map(({ file }) => folderOf(file)))];
  const rows = folders.map((folder) =>
    scoreRow(
      folder,
      judged.filter(({ file }) => folderOf(file) === folder),
      all.filter(({ file }) => folderOf(file) === folder).length,
    ),
  );
  const survivors = judged
    .filter((mutant) => !isNoticed(mutant))
    .toSorted((a, b) => a.file.localeCompare(b.file) || a.line - b.line);
  return [
    ...rows,
    scoreRow('all', judged, all.length),
    '',
    `Not noticed: ${survivors.length}`,
    ...survivors.map(survivorRow),
  ].join('\n');
}

function isNoticed({ status }: Verdict): boolean {
  return status === 'killed' || status === 'timeout';
}

function scoreRow(name: string, judged: readonly Judged[], all: number): string {
  const noticed = judged.filter(isNoticed).length;
  const { low, high } = shareOfAll(noticed, judged.length, all);
  const count = (status: Verdict['status']): string =>
    `${judged.filter((mutant) => mutant.status === status).length} ${status}`;
  const counts = (['killed', 'timeout', 'survived', 'untested'] as const).map(count).join(', ');
  const score =
    judged.length === 0
      ? 'none run'
      : `${percent(noticed / judged.length)} (of all, with 95 %: ${percent(low)} to ${percent(high)})`;
  return `${name.padEnd(22)} ${score}; ${judged.length} of ${all}: ${counts}`;
}

function survivorRow({ file, line, change, original, status }: Judged): string {
  const from = original.replaceAll(/\s+/g, ' ');
  return `${status} ${file}:${line} ${change.operator}: ${from} -> ${change.replacement.replaceAll(/\s+/g, ' ')}`;
}

function folderOf(file: string): string {
  return file.split('/').slice(0, 2).join('/');
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
