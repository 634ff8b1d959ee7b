// Every failure of the fault matrix has one home: the file whose titles name its number.
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SCENARIOS } from '../../../tools/matrix/scenarios.ts';
import { literalsOf, numbersIn } from '../../../tools/matrix/titles.ts';

const TESTS = resolve(import.meta.dirname, '../../..');
const ROWS = 'test/tools/matrix/scenarios.ts';

/** The numbers in the titles of each file; the tests of the matrix itself have made-up ones. */
const namedIn = new Map(
  globSync('**/*.test.ts', { cwd: TESTS })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.startsWith('unit/tools/matrix/'))
    .map((path) => [path, new Set(literalsOf(readFileSync(join(TESTS, path), 'utf8')).flatMap(numbersIn))]),
);

describe('a failure of the fault matrix', () => {
  it('has a home that exists, and a test there whose title names its number', () => {
    const homeless = SCENARIOS.flatMap(({ number, home }) => {
      if (home === undefined || namedIn.get(home)?.has(number) === true) return [];
      return namedIn.has(home)
        ? [`No title of test/${home} names ${number}. Add (${number}) to its test, or change the home in ${ROWS}.`]
        : [`The home of ${number}, test/${home}, does not exist. Name the file of its test in ${ROWS}.`];
    });

    expect(homeless).toEqual([]);
  });

  it('is named by the titles of its home alone', () => {
    const elsewhere = SCENARIOS.flatMap(({ number, home }) =>
      home === undefined
        ? []
        : [...namedIn]
            .filter(([path, numbers]) => path !== home && numbers.has(number))
            .map(
              ([path]) =>
                `test/${path} names ${number}, whose home is test/${home}. Take the number out of the title, ` +
                `or move the home there in ${ROWS}.`,
            ),
    );

    expect(elsewhere).toEqual([]);
  });
});
