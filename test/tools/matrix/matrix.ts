// The fault matrix: the tests of each failure, and whether they pass. Pure functions.
import type { Scenario } from './scenarios.ts';
import { literalsOf, numbersIn, titleInSource } from './titles.ts';

/** The parts of vitest's JSON report that are read. */
export type Report = {
  testResults: {
    /** The path of the file. */
    name: string;
    /** `duration` in ms. */
    assertionResults: { ancestorTitles: string[]; title: string; status: string; duration?: number | null }[];
  }[];
};

/** How a test makes a failure happen, the strongest kind first. */
export const KINDS = {
  bridge: 'the deployed bundle, over HTTP, against the DynamoDB and EventBridge protocols',
  'simulated time':
    'the whole poll, or the channels of the notifier side by side, in one process, under a simulated clock',
  protocol: 'one side of it, over the protocol of AWS or over HTTP',
  template: 'the synthesized CloudFormation template',
  unit: 'a part of the code by itself',
} as const;

export type Kind = keyof typeof KINDS;

/** A title in a file, with the number of its cases. */
export type HeldBy = { file: string; title: string; kind: Kind; cases: number; red: number };

export type Row = Scenario & { result: 'green' | 'red' | 'later'; tests: HeldBy[] };

/** Tests of the imitations, the documents and the tools, which do not test the bridge. */
const NOT_THE_BRIDGE = /^test\/(membership-service\/|unit\/infra\/|unit\/tools\/|unit\/docs\.)/;

/**
 * Makes the rows in the order of the scenarios. A row is green if at least one test that is not a unit test names it
 * and all tests that name it pass. A row without tests is `later` if its feature is, and red otherwise.
 */
export function toMatrix(scenarios: readonly Scenario[], report: Report, read: (file: string) => string): Row[] {
  const held = report.testResults.flatMap(({ name, assertionResults }) => toHeld(name, assertionResults, read(name)));
  return scenarios.map((scenario) => {
    const tests = held.filter(({ number }) => number === scenario.number);
    return { ...scenario, tests: byKind(tests), result: resultOf(scenario, tests) };
  });
}

function resultOf({ later }: Scenario, tests: readonly HeldBy[]): Row['result'] {
  if (tests.length === 0) return later === undefined ? 'red' : 'later';
  const isRed = tests.some(({ red }) => red > 0);
  const isOnlyUnit = tests.every(({ kind }) => kind === 'unit');
  if (isOnlyUnit && later !== undefined && !isRed) return 'later';
  return isRed || isOnlyUnit ? 'red' : 'green';
}

type Held = HeldBy & { number: string };

function toHeld(file: string, results: Report['testResults'][number]['assertionResults'], source: string): Held[] {
  if (NOT_THE_BRIDGE.test(file)) return [];
  const literals = literalsOf(source);
  const inSource = (title: string): string => titleInSource(title, literals) ?? title;
  const kind = kindOf(file, source);
  const titles = new Map<string, Held>();
  for (const { ancestorTitles, title, status } of results.filter(isRun)) {
    const name = [...ancestorTitles, title].map(inSource).join(' › ');
    for (const number of numbersIn([...ancestorTitles, title].join(' '))) {
      const known = titles.get(`${number} ${name}`) ?? { file, title: name, kind, cases: 0, red: 0, number };
      const red = known.red + (status === 'passed' ? 0 : 1);
      titles.set(`${number} ${name}`, { ...known, cases: known.cases + 1, red });
    }
  }
  return [...titles.values()];
}

const isRun = ({ status }: { status: string }): boolean => status === 'passed' || status === 'failed';

/** The kind of a test follows from its folder, and a simulated clock from the import of its world. */
export function kindOf(file: string, source: string): Kind {
  if (/support\/poll-world\.ts|\/outage-world\.ts|test\/simulation\/|'\.\.\/simulation\//.test(`${file} ${source}`))
    return 'simulated time';
  if (/^test\/integration\/(aws|consumers|membership)\//.test(file)) return 'protocol';
  if (/^test\/(integration|bridge)\//.test(file)) return 'bridge';
  return file.startsWith('test/infra/') ? 'template' : 'unit';
}

function byKind(tests: readonly HeldBy[]): HeldBy[] {
  const kinds = Object.keys(KINDS);
  return tests.toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || a.file.localeCompare(b.file));
}

/** The numbers of the red rows. */
export function redRows(rows: readonly Row[]): string[] {
  return rows.filter(({ result }) => result === 'red').map(({ number }) => number);
}
