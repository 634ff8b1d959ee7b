import { describe, expect, test } from 'vitest';
import { byContinuation, byOffset, byPage, type Page, type ReadPage } from '../../../functions/membership/paging.ts';
import { BridgeError } from '../../../functions/shared/errors.ts';
import type { JsonValue } from '../../../functions/shared/json.ts';

type Asked = Readonly<Record<string, number | string>>;

/** A list whose pages come from a function, and the parameters of its requests. */
function pagesOf(give: (asked: Asked) => JsonValue[] | Partial<Page>): { read: ReadPage; asked: Asked[] } {
  const asked: Asked[] = [];
  const read: ReadPage = async (parameters) => {
    asked.push(parameters);
    const page = await Promise.resolve(give(parameters));
    return { members: {}, headers: {}, ...(Array.isArray(page) ? { records: page } : { records: [], ...page }) };
  };
  return { read, asked };
}

async function all(records: AsyncIterable<JsonValue>): Promise<JsonValue[]> {
  const list: JsonValue[] = [];
  for await (const record of records) list.push(record);
  return list;
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const refused = (): never => {
  throw new BridgeError('RequestRefused', 'page', { retryable: false, details: { status: 400 } });
};

describe('a list by offset', () => {
  const sliced = (list: JsonValue[], size: number) =>
    pagesOf(({ offset }) => list.slice(Number(offset), Number(offset) + size));

  test('advances by the number of records, and ends at an empty page', async () => {
    const { read, asked } = sliced(numbers(7), 3);

    const records = await all(byOffset(read));

    expect(records).toEqual(numbers(7));
    expect(asked).toEqual([{ offset: 0 }, { offset: 3 }, { offset: 6 }, { offset: 7 }, { offset: 1 }]);
  });

  test.each([
    [250, 100],
    [1_003, 100],
    [20_050, 100],
  ])('of %d records is read whole where the offset counts pages of %d', async (length, size) => {
    const { read } = pagesOf(({ offset }) => numbers(length).slice(Number(offset) * size, (Number(offset) + 1) * size));

    const records = await all(byOffset(read));

    expect(records).toHaveLength(length);
    expect(new Set(records)).toEqual(new Set(numbers(length)));
  });

  test.each<[string, BridgeError]>([
    ['404', new BridgeError('RequestRefused', 'no', { retryable: false, details: { status: 404 } })],
    ['204', new BridgeError('ResponseInvalid', 'no', { retryable: true, details: { status: 204, reason: 'empty' } })],
  ])('ends at a %s behind the last page, and fails at one in place of the first', async (_, error) => {
    const give = (records: JsonValue[]): JsonValue[] => {
      if (records.length === 0) throw error;
      return records;
    };
    const byRecord = pagesOf(({ offset }) => give(numbers(7).slice(Number(offset), Number(offset) + 3)));
    const pages = [['a', 'b'], ['c']];

    expect(await all(byOffset(byRecord.read))).toEqual(numbers(7));
    expect(await all(byPage(pagesOf(({ page }) => give(pages[Number(page)] ?? [])).read))).toEqual(['a', 'b', 'c']);
    await expect(all(byOffset(pagesOf(() => give([])).read))).rejects.toBe(error);
    await expect(all(byPage(pagesOf(() => give([])).read))).rejects.toBe(error);
    await expect(all(byPage(pagesOf(() => give([])).read, { firstPage: 1 }))).rejects.toBe(error);
  });

  test('does not end at a short page', async () => {
    const sizes = [3, 1, 3, 2];
    const { read } = pagesOf(({ offset }) => numbers(9).slice(Number(offset), Number(offset) + (sizes.shift() ?? 0)));

    const records = await all(byOffset(read));

    expect(records).toEqual(numbers(9));
  });

  test('ends when the service ignores the offset, and yields every record once', async () => {
    const { read, asked } = pagesOf(() => numbers(3));

    const records = await all(byOffset(read));

    expect(records).toEqual(numbers(3));
    expect(asked).toEqual([{ offset: 0 }, { offset: 3 }, { offset: 2 ** 31 - 1 }]);
  });

  test('ends when the last page comes for every later offset', async () => {
    const { read } = pagesOf(({ offset }) =>
      numbers(5).slice(Math.min(Number(offset), 3), Math.min(Number(offset), 3) + 3),
    );

    const records = await all(byOffset(read));

    expect(records).toEqual(numbers(5));
  });

  test('keeps equal records that fill whole pages, whether a far offset is empty or refused', async () => {
    const list = ['a', 'a', 'a', 'a', 'b', 'b'];
    const empty = sliced(list, 1);
    const refusing = pagesOf(({ offset }) =>
      Number(offset) > 6 ? refused() : list.slice(Number(offset), Number(offset) + 1),
    );

    expect(await all(byOffset(empty.read))).toEqual(list);
    expect(await all(byOffset(refusing.read))).toEqual(list);
    expect(empty.asked).toHaveLength(list.length + 3);
  });

  test('fails when the far offset fails with anything but a refusal', async () => {
    const { read } = pagesOf(({ offset }) => {
      if (offset === 2 ** 31 - 1) throw new Error('gone');
      return Number(offset) < 3 ? ['a'] : [];
    });

    await expect(all(byOffset(read))).rejects.toThrow('gone');
  });

  test('requests a page only when its records are needed', async () => {
    const { read, asked } = sliced(numbers(9), 3);

    for await (const record of byOffset(read)) if (record === 3) break;

    expect(asked).toEqual([{ offset: 0 }, { offset: 3 }]);
  });

  test.each([
    [{ maxPages: 2 }, { pages: 2, records: 6 }],
    [{ maxRecords: 4 }, { pages: 2, records: 4 }],
  ])('beyond %j rejects, and is never cut silently', async (limits, details) => {
    const given: JsonValue[] = [];
    const { read } = sliced(numbers(9), 3);

    const reading = (async () => {
      for await (const record of byOffset(read, limits)) given.push(record);
    })();

    await expect(reading).rejects.toMatchObject({ code: 'WalkDidNotEnd', retryable: false, details });
    expect(given).toEqual(numbers(details.records));
  });
});

describe('a list of which it is not shown whether it has pages', () => {
  test('is whole where an offset is refused or ignored', async () => {
    const refusing = pagesOf(({ offset }) => (offset === undefined ? numbers(30) : refused()));
    const ignoring = pagesOf(() => numbers(30));

    expect(await all(byOffset(refusing.read, { isUnstated: true }))).toEqual(numbers(30));
    expect(await all(byOffset(ignoring.read, { isUnstated: true }))).toEqual(numbers(30));
    expect(refusing.asked).toEqual([{}, { offset: 30 }, { offset: 1 }]);
  });

  test('fails where its first page is refused, or one after offsets were taken', async () => {
    const late = pagesOf(({ offset = 0 }) => (Number(offset) < 6 ? [Number(offset)] : refused()));

    await expect(all(byOffset(pagesOf(refused).read, { isUnstated: true }))).rejects.toThrow('page');
    await expect(all(byOffset(late.read, { isUnstated: true }))).rejects.toThrow('page');
  });
});

describe('a list by page', () => {
  const pages = [['a', 'b'], ['c', 'd'], ['e']];
  const from = (first: number, page: unknown): JsonValue[] => pages[Number(page) - first] ?? [];

  test.each<[string, (page: unknown) => JsonValue[]]>([
    ['counts from 0', (page) => from(0, page)],
    ['counts from 1 and has nothing at 0', (page) => from(1, page)],
    ['counts from 1 and refuses 0', (page) => (page === 0 ? refused() : from(1, page))],
    ['counts from 1 and takes 0 for 1', (page) => from(1, page === 0 ? 1 : page)],
    ['ignores the page', () => pages.flat()],
    ['gives its last page for every one beyond', (page) => from(0, Math.min(Number(page), 2))],
  ])('of a service that %s is read completely, every record once', async (_, give) => {
    const { read } = pagesOf(({ page }) => give(page));

    const records = await all(byPage(read));

    expect(records).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('begins at firstPage, where a refusal is an error', async () => {
    const one = pagesOf(({ page }) => from(1, page));
    const none = pagesOf(({ page }) => (page === 0 ? refused() : []));

    expect(await all(byPage(one.read, { firstPage: 1 }))).toHaveLength(5);
    expect(one.asked[0]).toEqual({ page: 1 });
    await expect(all(byPage(none.read, { firstPage: 0 }))).rejects.toMatchObject({ code: 'RequestRefused' });
  });

  test('fails when a later page is refused', async () => {
    const { read } = pagesOf(({ page }) => (Number(page) < 2 ? [Number(page)] : refused()));

    await expect(all(byPage(read))).rejects.toMatchObject({ code: 'RequestRefused' });
  });
});

describe('a list by continuation', () => {
  const paged = (pages: (JsonValue[] | Partial<Page>)[]) => {
    const list = pagesOf(({ requestContinuation: at }) => pages[Number(at ?? 0) % pages.length] ?? []);
    return list;
  };
  const page = (records: JsonValue[], next: JsonValue): Partial<Page> => ({
    records,
    members: { requestContinuation: next },
  });

  test('continues after short and empty pages, and ends without a continuation', async () => {
    const { read, asked } = paged([page([1, 2], '1'), page([], '2'), page([3], '3'), page([], null)]);

    const records = await all(byContinuation(read));

    expect(records).toEqual([1, 2, 3]);
    expect(asked[1]).toEqual({ requestContinuation: '1' });
    expect(asked).toHaveLength(4);
  });

  test('finds the continuation in a header', async () => {
    const { read } = paged([{ records: [1], headers: { 'x-continuation': '1' } }, { records: [2] }]);

    expect(await all(byContinuation(read))).toEqual([1, 2]);
  });

  test('that never ends is ended after four no-progress pages', async () => {
    const { read, asked } = pagesOf(({ requestContinuation = 0 }) =>
      page(requestContinuation === 0 ? [1] : [], String(Number(requestContinuation) + 1)),
    );

    const records = await all(byContinuation(read));

    expect(records).toEqual([1]);
    expect(asked).toHaveLength(5);
  });

  test('that begins again is not yielded again', async () => {
    const { read } = paged([page([1], '1'), page([2], '2')]);

    const records = await all(byContinuation(read));

    expect(records).toEqual([1, 2]);
  });

  test('is limited in pages and records', async () => {
    const { read } = pagesOf(({ requestContinuation = '0' }) =>
      page([Number(requestContinuation)], String(Number(requestContinuation) + 1)),
    );

    await expect(all(byContinuation(read, { maxPages: 30 }))).rejects.toMatchObject({
      code: 'WalkDidNotEnd',
      details: { pages: 30, records: 30 },
    });
  });
});
