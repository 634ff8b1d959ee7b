import { expect, it } from 'vitest';
import { slowestOf, toText } from '../../../tools/slowest/slowest.ts';

const resultOf = (title: string, duration: number | null, ancestorTitles: string[] = []) => ({
  ancestorTitles,
  title,
  status: 'passed',
  duration,
});
const REPORT = {
  testResults: [
    { name: 'a.test.ts', assertionResults: [resultOf('waits', 900), resultOf('asks', 800)] },
    { name: 'b.test.ts', assertionResults: [resultOf('reads', 1_500, ['a page'])] },
    { name: 'c.test.ts', assertionResults: [resultOf('is skipped', null)] },
  ],
};
const TEXTS: Record<string, string> = {
  'a.test.ts': '// What waits,\n// and for whom.\nimport x;\n// Another.',
  'b.test.ts': 'import y;',
  'c.test.ts': '',
};

it('lists the files that take longest with what they say of themselves, and the tests that do', () => {
  const text = toText(slowestOf(REPORT, (file) => TEXTS[file] ?? '', 2));

  expect(text.split('\n')).toEqual([
    '| Seconds | File | Tests | For |',
    '|---:|---|---:|---|',
    '| 1.7 | a.test.ts | 2 | What waits, and for whom. |',
    '| 1.5 | b.test.ts | 1 |  |',
    '',
    '| Seconds | Test | In |',
    '|---:|---|---|',
    '| 1.5 | a page › reads | b.test.ts |',
    '| 0.9 | waits | a.test.ts |',
  ]);
});
