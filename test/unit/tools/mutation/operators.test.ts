import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAst } from 'vitest/node';
import { applied, changesOf } from '../../../tools/mutation/operators.ts';

/** The mutants of a source. */
function mutantsOf(source: string): string[] {
  return changesOf(source).map((change) => applied(source, change));
}

describe('a mutant', () => {
  it.each<[string, string, string[]]>([
    ['a boundary', 'a < b;', [';', 'a <= b;', 'a >= b;']],
    ['an equality', 'f(a === b);', [';', 'f(a !== b);']],
    ['arithmetic', 'f(a + b);', [';', 'f(a - b);']],
    ['no sum of texts', "f('' + b);", [';', "f('mutated' + b);"]],
    ['a logical operator', 'f(a && b);', [';', 'f(a || b);']],
    ['a default', 'f(a ?? b);', [';', 'f(a);']],
    ['a condition', 'if (a) b();', ['if (true) b();', 'if (false) b();', 'if (a) ;']],
    ['a conditional value', 'f(a ? b : c);', [';', 'f(true ? b : c);', 'f(false ? b : c);']],
    ['a loop, which never becomes endless', 'while (a) b();', ['while (false) b();', 'while (a) ;']],
    ['a negation', 'f(!a);', [';', 'f(a);']],
    ['a count', 'a++;', [';', 'a--;']],
    ['an assignment', 'a += b;', [';', 'a -= b;']],
    ['a small number, by one', 'f(7);', [';', 'f(8);', 'f(6);']],
    ['a great number, by far', 'f(60_000);', [';', 'f(120000);', 'f(30000);']],
    ['a flag', 'f(true);', [';', 'f(false);']],
    ['a text', "f('a');", [';', "f('');"]],
    ['a template', 'f(`${a}b`);', [';', 'f(``);']],
    ['a pattern', 'f(/^a$/i);', [';', 'f(/a$/i);', 'f(/^a/i);', 'f(/^a$/);']],
    ['a call that is left out', 'f(a.filter(b));', [';', 'f(a);']],
    ['a call that is another', 'f(a.some(b));', [';', 'f(a.every(b));']],
    [
      'an optional member',
      'f(a?.b, a?.[b], (a)?.b);',
      [';', 'f(a.b, a?.[b], (a)?.b);', 'f(a?.b, a[b], (a)?.b);', 'f(a?.b, a?.[b], (a).b);'],
    ],
    ['a list', 'f([a]);', [';', 'f([]);']],
    ['a spread', 'f({ ...a }, ...b);', [';', 'f({ ...{} }, ...b);', 'f({ ...a }, ...[]);']],
    ['a statement', 'throw a;', [';']],
    [
      'a value beside a type',
      "const a = 1 as number | 'x';",
      ["const a = 2 as number | 'x';", "const a = 0 as number | 'x';"],
    ],
  ])('changes %s', (_name, source, mutants) => {
    expect(mutantsOf(source).toSorted()).toEqual(mutants.toSorted());
  });

  it.each([
    "import { a } from './a.ts';",
    "export type A = 'a' | 7;",
    "const { a: { 'b-c': d } } = e;",
    "log.warn('Gone.', { a: 1 + 2 });",
    "run.log.info('Gone.');",
  ])('never changes types, names, or log calls: %s', (source) => {
    expect(mutantsOf(source)).toEqual([]);
  });

  it('keeps a message and what it contains, but not its use', () => {
    const source = 'throw new RangeError(`There are ${a + 1} of them.`);';

    expect(mutantsOf(source)).toEqual([';']);
  });
});

describe('every mutant of each eighth source', () => {
  const paths = globSync('functions/**/*.ts', { cwd: process.cwd() }).filter((_, index) => index % 8 === 0);
  const sources = paths.map((path) => readFileSync(path, 'utf8'));

  it('is unique, differs from its source and parses', () => {
    let count = 0;
    for (const source of sources) {
      const mutants = mutantsOf(source);
      expect(new Set([source, ...mutants]).size).toBe(mutants.length + 1);
      for (const mutant of mutants) {
        // Parsing all of them would take too long.
        if (count % 32 === 0) parseAst(mutant, { lang: 'ts' });
        count += 1;
      }
    }

    expect(count).toBeGreaterThan(1_000);
  });
});
