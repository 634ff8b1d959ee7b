import { describe, expect, it } from 'vitest';
import { toReport } from '../../../../../functions/operator/audit/report/report.ts';
import { aCopy, anEvent, check, checkpointKey, DAYS, edit, eventsKey, told } from '../a-copy.ts';

const [FIRST, EMPTY, THIRD] = DAYS;

/** A copy of which the bucket has removed the oldest checkpoint. */
function anOldCopy(): ReturnType<typeof aCopy> {
  const copy = aCopy();
  edit(copy, checkpointKey(1), () => []);
  return copy;
}

describe('verify, of a copy whose beginning was removed by its age', () => {
  it('finds nothing in a period that begins after the first day still sealed, and tells what is gone', async () => {
    const result = await check(anOldCopy(), { period: { from: THIRD, to: null } });

    expect(told(result)).toEqual([]);
    expect(toReport(result).replaceAll(/\s+/g, ' ')).toContain('from number 2 on: those before it are gone');
  });

  it('names the checkpoint where the period begins no later than that day, or nowhere', async () => {
    const withDay = await check(anOldCopy(), { period: { from: FIRST, to: null } });
    const whole = await check(anOldCopy());

    expect(told(withDay)).toEqual(['checkpoint-missing checkpoint 1']);
    expect(told(whole)).toEqual(['checkpoint-missing checkpoint 1']);
  });

  it('names what is missing within the period, or was added to it, all the same (D17)', async () => {
    const added = anEvent(THIRD, 77);
    const withLine = anOldCopy();
    edit(withLine, eventsKey(THIRD), (lines) => [...lines, added.line]);
    const without = anOldCopy();
    edit(without, checkpointKey(3), () => []);

    const ofLine = await check(withLine, { period: { from: EMPTY, to: null } });
    const ofCheckpoint = await check(without, { period: { from: EMPTY, to: null } });

    expect(told(ofLine)).toEqual([`line-added ${added.id}`]);
    expect(told(ofCheckpoint)).toContain('checkpoint-missing checkpoint 3');
  });

  it('names what is missing after a head that somebody wrote down', async () => {
    const result = await check(anOldCopy(), {
      period: { from: THIRD, to: null },
      head: { number: 1, sha256: 'a'.repeat(64) },
    });

    expect(told(result)).toContain('checkpoint-missing checkpoint 1');
  });
});
