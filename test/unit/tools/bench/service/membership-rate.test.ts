import { describe, expect, test } from 'vitest';
import { NoFigures } from '../../../../tools/bench/gate.ts';
import { askFor, assertWhole } from '../../../../tools/bench/service/membership-rate.ts';

const pageOf = (...data: unknown[]) => ({ path: `/${data.length}`, body: Buffer.from(JSON.stringify({ data })) });

describe('the rate of pages', () => {
  test('is measured over pages with each entry of the log once, in any order', () => {
    expect(() => assertWhole([pageOf({ id: 2 }), pageOf({ id: 1 })], ['{"id":1}', '{"id":2}'])).not.toThrow();
  });

  test.each([
    ['lack an entry', [pageOf({ id: 1 })]],
    ['have one twice', [pageOf({ id: 1 }, { id: 1 })]],
    ['have another', [pageOf({ id: 1 }, { id: 3 })]],
  ])('is refused when the pages %s', (_name, pages) => {
    expect(() => assertWhole(pages, ['{"id":1}', '{"id":2}'])).toThrow(NoFigures);
  });

  test('is refused when an answer differs from the first one', async () => {
    const pages = [pageOf({ id: 1 }), pageOf({ id: 2 }, { id: 3 })];
    let asked = 0;
    const get = async (path: string): Promise<Buffer> => {
      asked += 1;
      const right = pages.find((page) => page.path === path)?.body ?? Buffer.alloc(0);
      return await Promise.resolve(asked === 500 ? Buffer.from('{}') : right);
    };

    await expect(askFor(pages, get, 60_000)).rejects.toThrow(NoFigures);
    expect(asked).toBeGreaterThanOrEqual(500);
  });
});
