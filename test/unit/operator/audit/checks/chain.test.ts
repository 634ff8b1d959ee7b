import { describe, expect, it } from 'vitest';
import { checkChain, type NamedHead } from '../../../../../functions/operator/audit/checks/chain.ts';
import { type AuditCheckpoint, checkpointSha256 } from '../../../../../functions/audit/checkpoint.ts';
import type { FoundCheckpoint } from '../../../../../functions/operator/audit/copy/checkpoints.ts';
import { aCopy, findingsOf } from '../a-copy.ts';

const place = { key: 'events/a.gz', line: 1 };
const asFound = (checkpoint: AuditCheckpoint): FoundCheckpoint => ({
  checkpoint,
  sha256: checkpointSha256(checkpoint),
  place,
});

/** A chain of these parts, each following the one before. */
function chained(parts: readonly Partial<AuditCheckpoint>[]): FoundCheckpoint[] {
  const [begin] = aCopy().checkpoints;
  const found: FoundCheckpoint[] = [];
  for (const part of parts)
    found.push(asFound({ ...begin!, previousSha256: found.at(-1)?.sha256 ?? null, ...part, number: found.length + 1 }));
  return found;
}

const headOf = ({ checkpoint: { number }, sha256 }: FoundCheckpoint): NamedHead => ({
  number,
  sha256,
  by: '--head',
});
const since = '2026-11-18T09:00:00.000Z';
const begin = { kind: 'begin', since, firstDay: '2020-01-01' } as const;
const dayOf = (day: string) => ({ kind: 'day', day, since, digest: 'd'.repeat(64) }) as const;

describe('checkChain', () => {
  it('finds nothing in a chain whose end is the head', () => {
    const found = chained([begin, dayOf('2020-01-01'), dayOf('2026-11-18')]);

    expect(checkChain(found, [headOf(found[2]!)], 3)).toEqual({
      links: found,
      first: 1,
      last: 3,
      findings: [],
      forged: [],
    });
  });

  it('allows missing days before the claim begins, and none after', () => {
    const rightly = chained([
      begin,
      dayOf('2020-01-01'),
      dayOf('2024-05-05'),
      dayOf('2026-11-18'),
      dayOf('2026-11-19'),
    ]);
    const wrongly = chained([begin, dayOf('2020-01-01'), dayOf('2026-11-19')]);
    const later = chained([begin, dayOf('2020-01-01'), dayOf('2026-11-18'), dayOf('2026-11-20')]);

    expect(findingsOf(checkChain(rightly, [], null))).toEqual([]);
    expect(findingsOf(checkChain(wrongly, [], null))).toEqual(['day-not-sealed 2026-11-18']);
    expect(findingsOf(checkChain(later, [], null))).toEqual(['day-not-sealed 2026-11-19']);
  });

  it('names a day that is sealed twice', () => {
    const found = chained([begin, dayOf('2020-01-01'), dayOf('2020-01-01')]);

    expect(checkChain(found, [], null).findings).toMatchObject([{ kind: 'day-not-sealed' }]);
  });

  it('continues at a later begin, whatever is between', () => {
    const again = { kind: 'begin', since: '2026-12-24T00:00:00.000Z', firstDay: '2026-12-24' } as const;
    const found = chained([{ ...begin, firstDay: '2026-11-18' }, dayOf('2026-11-18'), again, dayOf('2026-12-24')]);
    const wrong = chained([{ ...begin, firstDay: '2026-11-18' }, dayOf('2026-11-18'), again, dayOf('2026-12-25')]);

    expect(findingsOf(checkChain(found, [], null))).toEqual([]);
    expect(findingsOf(checkChain(wrong, [], null))).toEqual(['day-not-sealed 2026-12-24']);
  });

  it('allows an amendment between any two days', () => {
    const amendment = { kind: 'amendment', day: '2020-01-01', amendment: 1, digest: 'e'.repeat(64) } as const;
    const found = chained([begin, dayOf('2020-01-01'), dayOf('2026-11-18'), amendment, dayOf('2026-11-19')]);

    expect(findingsOf(checkChain(found, [], null))).toEqual([]);
  });

  it('does not compare the days around a missing checkpoint', () => {
    const found = chained([begin, dayOf('2020-01-01'), dayOf('2026-11-18'), dayOf('2026-11-19')]);

    const { findings, links, last } = checkChain(found.toSpliced(2, 1), [], null);

    expect(findings).toMatchObject([{ kind: 'checkpoint-missing', name: 'checkpoint 3' }]);
    expect(findings[0]?.how).toContain(found[2]!.sha256);
    expect([links.length, last]).toEqual([3, 4]);
  });

  it('names what follows the head of the table, but not what follows an older head', () => {
    const found = chained([begin, dayOf('2020-01-01'), dayOf('2026-11-18')]);

    expect(checkChain(found, [headOf(found[1]!)], 2)).toMatchObject({
      findings: [],
      forged: [{ name: 'checkpoint 3' }],
    });
    expect(checkChain(found, [headOf(found[1]!)], null)).toMatchObject({ findings: [], forged: [], links: found });
  });

  it('names an altered checkpoint, whether or not its previousSha256 was altered too', () => {
    const found = chained([begin, dayOf('2020-01-01'), dayOf('2026-11-18'), dayOf('2026-11-19')]);
    const head = headOf(found[3]!);
    const altered = asFound({ ...found[1]!.checkpoint, entries: 7 });
    const unchained = asFound({ ...found[1]!.checkpoint, previousSha256: 'a'.repeat(64) });

    expect(findingsOf(checkChain(found.toSpliced(1, 1, altered), [head], 4))).toEqual([
      'checkpoint-altered checkpoint 2',
    ]);
    expect(findingsOf(checkChain(found.toSpliced(1, 1, unchained), [head], 4))).toContain(
      'checkpoint-altered checkpoint 2',
    );
  });

  it('names a first checkpoint of another kind than begin', () => {
    expect(findingsOf(checkChain(chained([dayOf('2020-01-01')]), [], null))).toEqual([
      'checkpoint-altered checkpoint 1',
    ]);
  });
});
