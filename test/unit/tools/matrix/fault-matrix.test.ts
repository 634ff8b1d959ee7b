// A run generates docs/fault-matrix.md. This test compares it with the current sources.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SCENARIOS } from '../../../tools/matrix/scenarios.ts';
import { literalsOf } from '../../../tools/matrix/titles.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
const document = readFileSync(join(ROOT, 'docs/fault-matrix.md'), 'utf8');

/** The text and the target of each link, unescaped. */
const links = [...document.matchAll(/\[((?:\\.|[^\]\\])+)\]\(\.\.\/([^)]+)\)/g)].map(([, text = '', file = '']) => ({
  title: text.replaceAll(/\\(.)/g, '$1'),
  file,
}));

describe('docs/fault-matrix.md', () => {
  it('lists every scenario once, in order, with the text of scenarios.ts', () => {
    const rows = [...document.matchAll(/^\| ([SD]\d{2}) \| (.*?) \| /gm)].map(([, number, failure]) => ({
      number,
      failure,
    }));

    expect(rows).toEqual(SCENARIOS.map(({ number, failure }) => ({ number, failure })));
  });

  it('has no red row', () => {
    expect(document).toMatch(/\d+ green, 0 red, \d+ to come/);
  });

  it('links to tests that exist, by titles that are in their files', () => {
    const missing = links.filter(({ title, file }) => {
      if (!existsSync(join(ROOT, file))) return true;
      if (file.endsWith(`/${title}`)) return false;
      const literals = literalsOf(readFileSync(join(ROOT, file), 'utf8'));
      return title.split(' › ').some((part) => !literals.includes(part));
    });

    expect(links.length).toBeGreaterThan(100);
    expect(missing).toEqual([]);
  });
});
