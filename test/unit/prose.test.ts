// The prose of the project: the width of comments, the words that the glossary replaced, and the length of the README.
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/** The folders and files that are checked. */
const CHECKED = [
  '.ci/run',
  'functions',
  'infra',
  'package/README.md',
  'package/build.ts',
  'test',
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'docs',
];
const MAX_README_LINES = 220;
const MAX_COMMENT_COLUMNS = 120;

/** Words that were replaced, by the words that are used instead. See the glossary in docs/architecture.md. */
const OLD_WORDS: Readonly<Record<string, RegExp>> = {
  'accept, publish': /\btakes? (?:in|up) (?:an?|the) (?:entry|entries|page)\b/,
  ActiveSweep: /\bSweepInHand\b/,
  'appendCheckpoint, genesis, HeadConflict': /\bchainUp\b|\bOvertaken\b/,
  'atMaxPageSize, fruitlessRuns': /\boutlasted\b/,
  backoff: /\bstateAfterBoth\b|\bisPutOff\b/,
  'content duplicates': /\btwins?\b/,
  'cycle, cycle closed': /\bcomes? round\b/,
  'deferred sweeps': /\bsecond lanes?\b|\bpast ?lanes?\b|\bpastLevels\b/i,
  'Disposition, ChannelDisabled, send, sent':
    /\bFates?\b|\bShut\b|\b(?:is|are|was|were|be|been|being) told\b(?! apart)/,
  isTransient: /\bisPassing\b/,
  'marginUnits, marginDays': /\bdays wider\b/,
  'MAX_, MIN_': /\b(?:MOST|LONGEST|LEAST)_[A-Z]/,
  'no-progress page': /\bbarren\b/i,
  'plain present-day English': /\banew\b|\bsave for\b|\bno less than\b|\bbe it\b|\bwhat nobody sees\b|\bthat which\b/i,
  'Prefetch, drainPrefetch': /\bReadAhead\b|\bmeetPageAhead\b/,
  'query variant, RenderOptions': /\bmanners?(?:ToTry)?\b/i,
  recountInstant: /\breadSecond\b/,
  'resumeSweep, deferSweep': /\btakeUp\b|\bmakeWay\b|\bmakes way\b/,
  'sentinels, splitCandidates, split': /\bwitness(?:es)?\b|\bbisect\b/i,
  'ServiceProfile, ProfileUpdate': /\bLearnedFacts\b|\bLesson\b/,
  'watermark, provisional watermark': /\bliveFrom\b/,
  'in parallel': /_AT_ONCE\b|\batOnce\b/,
};

const ROOT = resolve(import.meta.dirname, '../..');
/** This file names the old words, and the matrix is generated. */
const EXEMPT = ['test/unit/prose.test.ts', 'docs/fault-matrix.md'];

type SourceFile = { path: string; lines: string[] };

const files: SourceFile[] = CHECKED.flatMap((folder) =>
  folder.includes('.') ? [folder] : globSync(`${folder}/**/*.{ts,mjs,md}`, { cwd: ROOT }),
)
  .filter((path) => !EXEMPT.includes(path))
  .map((path) => ({ path, lines: readFileSync(join(ROOT, path), 'utf8').split('\n') }));

/** Whether a line is or ends with a comment. Directives of linters must stay on one line. */
function isComment(line: string): boolean {
  return /^\s*(?:# |\/\/|\/\*|\*(?: |\/|$))|\s\/\/ /.test(line) && !/\/[/*] (?:oxlint-|@ts-)/.test(line);
}

function problemsIn(files: readonly SourceFile[], check: (line: string) => string | null): string[] {
  return files.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) => {
      const problem = check(line);
      return problem === null ? [] : [`${path}:${index + 1}: ${problem}`];
    }),
  );
}

describe('the prose', () => {
  it(`has comments of at most ${MAX_COMMENT_COLUMNS} columns`, () => {
    const code = files.filter(({ path }) => !path.endsWith('.md'));
    const problems = problemsIn(code, (line) =>
      line.length > MAX_COMMENT_COLUMNS && isComment(line) ? `${line.length} columns` : null,
    );

    expect(code.length).toBeGreaterThan(0);
    expect(problems).toEqual([]);
  });

  it('uses the words of the glossary', () => {
    const problems = problemsIn(files, (line) => {
      const [word, pattern] = Object.entries(OLD_WORDS).find(([, old]) => old.test(line)) ?? [];
      return pattern === undefined ? null : `"${pattern.exec(line)?.[0]}"; write ${word}`;
    });

    expect(problems).toEqual([]);
  });

  it(`has a README of at most ${MAX_README_LINES} lines`, () => {
    const lines = readFileSync(join(ROOT, 'README.md'), 'utf8').trimEnd().split('\n');

    expect(lines.length).toBeLessThanOrEqual(MAX_README_LINES);
  });
});

describe('the patterns of old words', () => {
  it.each([
    'a barren page',
    'const MOST_ROWS = 1;',
    'the event is told',
    'CALLS_AT_ONCE',
    'an hour that comes round',
    'a false twin',
    'in the past lane',
  ])('find %j', (line) => {
    expect(Object.values(OLD_WORDS).some((old) => old.test(line))).toBe(true);
  });

  it.each([
    'retold',
    'are told apart',
    'the most rows',
    'at once',
    'the shutter',
    'an ordinary lesson',
    'repeated twice',
  ])('do not find %j', (line) => {
    expect(Object.values(OLD_WORDS).some((old) => old.test(line))).toBe(false);
  });
});
