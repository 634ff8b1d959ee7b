import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { pages } from '../../../tools/pictures/pages.ts';

describe('the pages of docs/pictures', () => {
  it.each(pages())(
    'show the current $name; otherwise run: npx node test/tools/pictures/write.ts',
    async ({ name, html }) => {
      const written = await readFile(new URL(`../../../../docs/pictures/${name}.html`, import.meta.url), 'utf8');

      expect(written).toBe(html);
    },
  );
});
