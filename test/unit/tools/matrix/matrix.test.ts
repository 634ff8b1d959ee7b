import { describe, expect, it } from 'vitest';
import { toDocument } from '../../../tools/matrix/document.ts';
import { redRows, toMatrix, type Report } from '../../../tools/matrix/matrix.ts';
import { SCENARIOS } from '../../../tools/matrix/scenarios.ts';

const SOURCE = `describe('a walk', () => { test.each([1])('ends after %i (S09)', () => {}); test('is kept (S01)', () => {}); });`;
const scenario = (number: string, more: object = {}) => ({ number, failure: `what ${number} is`, ...more });

/** A report of one file with these titles and outcomes. */
function reportOf(name: string, outcomes: Record<string, string>): Report {
  const assertionResults = Object.entries(outcomes).map(([title, status]) => ({
    ancestorTitles: ['a walk'],
    title,
    status,
  }));
  return { testResults: [{ name, assertionResults }] };
}

const FILE = 'test/bridge/walks.test.ts';

describe('a row of the fault matrix', () => {
  it.each([
    [
      'green where all tests that name it are',
      { 'ends after 1 (S09)': 'passed', 'ends after 2 (S09)': 'passed' },
      FILE,
      'green',
    ],
    ['red where one of them is', { 'ends after 1 (S09)': 'passed', 'ends after 2 (S09)': 'failed' }, FILE, 'red'],
    ['red where none names it', { 'is kept (S01)': 'passed' }, FILE, 'red'],
    ['red where unit tests alone name it', { 'ends after 1 (S09)': 'passed' }, 'test/unit/poller/walk.test.ts', 'red'],
    [
      'red where only the imitation of the service is tested',
      { 'ends after 1 (S09)': 'passed' },
      'test/membership-service/walks.test.ts',
      'red',
    ],
    ['red where its only test was skipped', { 'ends after 1 (S09)': 'skipped' }, FILE, 'red'],
  ])('is %s', (_name, outcomes: Record<string, string>, file, result) => {
    const rows = toMatrix([scenario('S09')], reportOf(file, outcomes), () => SOURCE);

    expect(rows).toMatchObject([{ number: 'S09', result }]);
    expect(redRows(rows)).toEqual(result === 'red' ? ['S09'] : []);
  });

  it('comes later if its feature does and no test names it', () => {
    const rows = toMatrix([scenario('S55', { later: 'the doctor' })], reportOf(FILE, {}), () => SOURCE);

    expect(rows).toMatchObject([{ result: 'later' }]);
    expect(redRows(rows)).toEqual([]);
  });

  it('names a table of tests once, by the title in the source, and counts its cases', () => {
    const outcomes = { 'ends after 1 (S09)': 'passed', 'ends after 2 (S09)': 'passed' };

    const [row] = toMatrix([scenario('S09')], reportOf(FILE, outcomes), () => SOURCE);

    expect(row?.tests).toMatchObject([{ title: 'a walk › ends after %i (S09)', kind: 'bridge', cases: 2, red: 0 }]);
  });

  it('is simulated if its file imports the world of a simulated clock', () => {
    const source = `import { createPollWorld } from '../../../support/poll-world.ts';\n${SOURCE}`;

    const [row] = toMatrix([scenario('S01')], reportOf(FILE, { 'is kept (S01)': 'passed' }), () => source);

    expect(row?.tests).toMatchObject([{ kind: 'simulated time' }]);
  });
});

it('lists S01 to S79, S80, S82, D01 to D34 and D36 to D40, each once, in order', () => {
  const numbers = (kind: string, count: number): string[] =>
    Array.from({ length: count }, (_, index) => `${kind}${String(index + 1).padStart(2, '0')}`);

  expect(SCENARIOS.map(({ number }) => number)).toEqual([
    ...numbers('S', 79),
    'S80',
    'S82',
    ...numbers('D', 34),
    'D36',
    'D37',
    'D38',
    'D39',
    'D40',
  ]);
});

it('writes a document with a row per scenario, links to its tests, and the machine', () => {
  const rows = toMatrix(
    [scenario('S01'), scenario('D01', { later: 'webhooks' })],
    reportOf(FILE, { 'is kept (S01)': 'passed' }),
    () => SOURCE,
  );

  const document = toDocument(rows, { date: '2026-11-21', commit: 'abc1234', machine: '2 × CPU', node: '24.21.0' });

  expect(document).toContain('1 green, 0 red, 1 to come. Run on 2026-11-21, commit abc1234, 2 × CPU, Node 24.21.0.');
  expect(document).toContain(`| S01 | what S01 is | green | bridge: [a walk › is kept (S01)](../${FILE}) |`);
  expect(document).toContain('| D01 | what D01 is | comes later, with webhooks |  |');
});
