// Named mutations that no longer fit the source would guard nothing until somebody runs them.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { MUTANTS } from './mutants.ts';

const root = resolve(import.meta.dirname, '../..');

it.each(MUTANTS)('the mutation "$name" fits the source', ({ edits }) => {
  for (const { file, find } of edits) expect(readFileSync(resolve(root, file), 'utf8').split(find)).toHaveLength(2);
});
