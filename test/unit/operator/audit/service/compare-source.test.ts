import { describe, expect, it } from 'vitest';
import type { SourceReading } from '../../../../../functions/operator/audit/service/read-source.ts';
import { toReport } from '../../../../../functions/operator/audit/report/report.ts';
import { sha256Hex } from '../../../../../functions/shared/json.ts';
import { aCopy, anEvent, type AnEvent, check, DAYS, NOW, OPEN_DAY, ordinaryEvents, told } from '../a-copy.ts';

const events = ordinaryEvents();

/** The service gives these events, whichever ids they get. */
function giving(given: readonly AnEvent[], more: Partial<SourceReading> = {}) {
  const entries = given.map(({ sha256, day }, index) => ({ id: `other-${index}`, sha256, day }));
  const oldest = `${given[0]?.day ?? DAYS[0]}T08:00:00.000Z`;
  return async (): Promise<SourceReading> => ({ entries, oldest, requests: 7, gaps: [], ...more });
}

describe('verify against the source', () => {
  it('finds nothing where the service gives what the copy has, and reads from the first day that is sealed', async () => {
    const asked: (string | null)[] = [];
    const readSource = async (day: string | null): Promise<SourceReading> => {
      asked.push(day);
      return await giving([anEvent('2026-11-14', 1), ...events])();
    };

    const result = await check(aCopy(), { readSource, userSha256: sha256Hex('auditor@example.org') });

    expect(told(result)).toEqual([]);
    expect(asked).toEqual([DAYS[0]]);
    expect(result.source).toMatchObject({ read: 6, inCopy: 6, beyondRetention: 0, isSameUser: true });
    expect(toReport(result)).toMatch(/as the user of the\s+bridge with 7 requests: 6 entries, 6 of them in\s+the copy/);
  });

  it('says where it was read as another user than the last checkpoint has', async () => {
    const result = await check(aCopy(), { readSource: giving(events), userSha256: sha256Hex('other@example.org') });

    expect(result.source).toMatchObject({ isSameUser: false });
    expect(toReport(result)).toMatch(/as another user than\s+the bridge/);
  });

  it('names an entry of the service that the copy does not have', async () => {
    const lost = anEvent(DAYS[0], 90);

    const result = await check(aCopy(), { readSource: giving([...events, lost]) });

    expect(told(result)).toEqual(['not-in-copy other-6']);
  });

  it('names one of two identical entries that the copy has once', async () => {
    const result = await check(aCopy(), { readSource: giving([...events, events[0]!]) });

    expect(told(result)).toEqual(['not-in-copy other-6']);
  });

  it('counts an entry that may still be on its way', async () => {
    const result = await check(aCopy(), { readSource: giving([...events, anEvent('2026-11-20', 91)]) });

    expect(told(result)).toEqual([]);
    expect(result.source).toMatchObject({ onTheWay: 1 });
  });

  it('names an entry of the copy that the service no longer has although it still has older ones', async () => {
    const older = anEvent('2026-11-15', 92);

    const result = await check(aCopy(), { readSource: giving([older, ...events.slice(1)]) });

    expect(told(result)).toEqual([`not-in-service ${events[0]!.id}`]);
  });

  it('says what the service did not give, and takes nothing on those days for gone', async () => {
    const older = anEvent('2026-11-15', 92);
    const gap = { from: `${DAYS[0]}T10:00:00.000Z`, to: `${DAYS[0]}T10:00:01.000Z` };

    const result = await check(aCopy(), { readSource: giving([older, ...events.slice(1)], { gaps: [gap] }) });

    expect(told(result)).toEqual([]);
    expect(result.source).toMatchObject({ notGiven: 1 });
    expect(toReport(result)).toMatch(/did not give everything from\s+2026-11-16T10/);
  });

  it('says from when on the service still has entries, and finds nothing in what it no longer keeps', async () => {
    const kept = events.slice(3);

    const result = await check(aCopy(), { readSource: giving(kept) });

    expect(told(result)).toEqual([]);
    expect(result.source).toMatchObject({ beyondRetention: 3, oldest: `${DAYS[2]}T08:00:00.000Z` });
    expect(toReport(result)).toContain('2026-11-18 08:00 UTC');
    expect(toReport(result)).toContain('3 entries of the copy');
  });

  it('finds nothing where the service has nothing of the period any more', async () => {
    const result = await check(aCopy(), { readSource: giving([], { oldest: null }) });

    expect(told(result)).toEqual([]);
    expect(result.source).toMatchObject({ beyondRetention: 6, oldest: null });
  });

  it('compares the period alone, and entries without a time wherever they are', async () => {
    const stampless = { ...anEvent(DAYS[0], 93), day: null } as unknown as AnEvent;
    const copy = aCopy({ events: [...events, anEvent(DAYS[0], 93)] });
    const period = { from: DAYS[0], to: DAYS[0] };

    const result = await check(copy, { period, readSource: giving([anEvent('2026-11-15', 1), ...events, stampless]) });

    expect(told(result)).toEqual([]);
    expect(result.source).toMatchObject({ read: 4, inCopy: 4 });
  });

  it('counts a quarantined entry for one that the copy accounts for', async () => {
    const refused = anEvent(DAYS[0], 94);

    const result = await check(aCopy({ quarantined: [refused] }), { readSource: giving([...events, refused]) });

    expect(told(result)).toEqual([]);
    expect(result.checkedAt).toBe(NOW);
    expect(OPEN_DAY > DAYS[2]).toBe(true);
  });
});
