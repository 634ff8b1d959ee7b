import { describe, expect, it } from 'vitest';
import { manifestKey, oversizeKey } from '../../../../functions/audit/bucket-layout.ts';
import { checkpointSha256 } from '../../../../functions/audit/checkpoint.ts';
import { exitCodeOf, toReport } from '../../../../functions/operator/audit/report/report.ts';
import {
  aCopy,
  anEvent,
  aNotice,
  anOversizeEvent,
  check,
  checkpointKey,
  DAYS,
  edit,
  eventsKey,
  keepWhole,
  NOW,
  OPEN_DAY,
  opened,
  ordinaryEvents,
  sealDay,
  SOURCE,
  told,
} from './a-copy.ts';

const [FIRST, EMPTY, THIRD] = DAYS;
const events = ordinaryEvents();
const [one, two, , four] = events as [(typeof events)[0], (typeof events)[0], (typeof events)[0], (typeof events)[0]];

/** The data of a line, as text. */
const dataOf = (line: string): string => /"data":(\{.*\})\}\}$/.exec(line)?.[1] ?? '';
const hashOf = (line: string): string => /"entrySha256":"(\w+)"/.exec(line)?.[1] ?? '';

describe('verify', () => {
  it('finds nothing in a copy as the bridge makes it, an empty day included (D17)', async () => {
    const result = await check(aCopy());

    expect(told(result)).toEqual([]);
    expect(exitCodeOf(result)).toBe(0);
    expect(result.days).toMatchObject({
      sealedDays: 3,
      emptyDays: 1,
      entries: 5,
      inCopy: 5,
      firstDay: FIRST,
      lastDay: THIRD,
    });
    expect(result.days.open).toEqual(new Map([[OPEN_DAY, 1]]));
  });

  it('finds nothing in lines that come twice or in another order, and counts those that come twice (D17)', async () => {
    const copy = aCopy();
    edit(copy, eventsKey(FIRST), (lines) => [...lines.toReversed(), ...lines]);
    edit(copy, checkpointKey(2), (lines) => [...lines, ...lines]);
    edit(copy, eventsKey(OPEN_DAY), (lines) => [...lines, ...lines]);

    const result = await check(copy);

    expect(told(result)).toEqual([]);
    expect(result.counts).toMatchObject({ duplicates: 4, checkpointDuplicates: 1 });
    expect(toReport(result)).toContain('5 lines twice');
  });

  it('names a line that was deleted (D17)', async () => {
    const copy = aCopy();
    edit(copy, eventsKey(FIRST), (lines) => lines.toSpliced(1, 1));

    const result = await check(copy);

    expect(told(result)).toEqual([`line-missing ${two.id}`]);
    expect(exitCodeOf(result)).toBe(1);
    expect(toReport(result)).toContain(`${FIRST}  ${two.id}`);
  });

  it('names every line of the last object where that was dropped (D17)', async () => {
    const copy = aCopy();
    copy.objects.delete(eventsKey(THIRD));

    const result = await check(copy);

    expect(told(result)).toEqual(
      events
        .slice(3, 5)
        .map(({ id }) => `line-missing ${id}`)
        .sort(),
    );
  });

  it.each([
    ['its data', (line: string) => line.replace('"amount":1.50', '"amount":1.51')],
    ['the text of a number in it', (line: string) => line.replace('"amount":1.50', '"amount":1.5')],
    ['its hash', (line: string) => line.replace(hashOf(line), hashOf(line).replaceAll(/[0-4]/g, '7'))],
    [
      'its action key',
      (line: string) => line.replace('"actionKey":"ContactUpdated","org', '"actionKey":"ContactDeleted","org'),
    ],
    ['its time', (line: string) => line.replace(`"occurredAt":"${FIRST}T10`, `"occurredAt":"${FIRST}T11`)],
    ['its day', (line: string) => line.replace(`"occurredAt":"${FIRST}`, `"occurredAt":"${EMPTY}`)],
  ])('names a line of which %s was altered, with the place where it stands (D17)', async (_what, alter) => {
    const copy = aCopy();
    edit(copy, eventsKey(FIRST), ([first = '', ...rest]) => [alter(first), ...rest]);

    const result = await check(copy);

    expect(told(result)).toEqual([`line-altered ${one.id}`]);
    expect(result.findings[0]?.place).toEqual({ key: eventsKey(FIRST), line: 1 });
    expect(toReport(result)).toContain(`in line 1 of ${eventsKey(FIRST)}`);
  });

  it('names a line that was added (D17)', async () => {
    const copy = aCopy();
    const added = anEvent(FIRST, 99);
    edit(copy, eventsKey(THIRD), (lines) => [...lines, added.line]);

    const result = await check(copy);

    expect(told(result)).toEqual([`line-added ${added.id}`]);
    expect(result.findings[0]?.place).toEqual({ key: eventsKey(THIRD), line: 3 });
  });

  it('names a line added to an empty day (D17)', async () => {
    const copy = aCopy();
    const added = anEvent(EMPTY, 99);
    edit(copy, eventsKey(THIRD), (lines) => [...lines, added.line]);

    expect(told(await check(copy))).toEqual([`line-added ${added.id}`]);
  });

  it('names both lines whose data was exchanged (D17)', async () => {
    const copy = aCopy();
    edit(copy, eventsKey(FIRST), ([a = '', b = '', ...rest]) => [
      a.replace(dataOf(a), dataOf(b)),
      b.replace(dataOf(b), dataOf(a)),
      ...rest,
    ]);

    expect(told(await check(copy))).toEqual([one.id, two.id].sort().map((id) => `line-altered ${id}`));
  });

  it('names both lines whose data was exchanged with its hash, and whose content each has (D17)', async () => {
    const copy = aCopy();
    const withContentOf = (line: string, other: string): string =>
      line.replace(dataOf(line), dataOf(other)).replace(hashOf(line), hashOf(other));
    edit(copy, eventsKey(FIRST), ([a = '', b = '', ...rest]) => [withContentOf(a, b), withContentOf(b, a), ...rest]);

    const result = await check(copy);

    expect(told(result)).toEqual([one.id, two.id].sort().map((id) => `line-altered ${id}`));
    expect(result.findings.find(({ name }) => name === one.id)?.how).toContain(`those of ${two.id}`);
  });

  it('names the line and the entry where an id was altered', async () => {
    const copy = aCopy();
    const id = '00000000-0000-8000-8000-000000000000';
    edit(copy, eventsKey(FIRST), ([first = '', ...rest]) => [first.replace(one.id, id), ...rest]);

    expect(told(await check(copy))).toEqual([`line-missing ${one.id}`, `line-added ${id}`]);
  });

  it.each([
    ['no JSON', 'rubbish', 'is no JSON object'],
    ['no event of the bridge', '{"source":"aws.s3","detail":{}}', 'is no event of the bridge'],
    ['without metadata', '{"source":"membership.actionlog","detail":{"data":{}}}', 'has no metadata'],
    ['without an entry', anEvent(FIRST, 7).line.replace(/"data":.*/, '"data":null}}'), 'has no entry'],
    [
      'a checkpoint of another form',
      aNotice('AuditCheckpointCreated', { number: 0 }),
      'is a checkpoint of another form',
    ],
  ])('names a line that is %s', async (_what, line, how) => {
    const copy = aCopy();
    edit(copy, eventsKey(THIRD), (lines) => [...lines, line]);

    const result = await check(copy);

    expect(result.findings).toMatchObject([{ kind: 'line-unreadable', how, name: `line 3 of ${eventsKey(THIRD)}` }]);
  });

  it('names an object that is damaged, and checks the lines before the damage', async () => {
    const copy = aCopy();
    const damaged = new Map([[eventsKey(THIRD), Buffer.from('this is no gzip')]]);

    const result = await check(copy, { copy: opened(copy, damaged) });

    expect(told(result)).toEqual([
      ...events
        .slice(3, 5)
        .map(({ id }) => `line-missing ${id}`)
        .sort(),
      `object-unreadable ${eventsKey(THIRD)}`,
    ]);
  });

  it.each([
    ['the first', 1],
    ['one in the middle', 3],
    ['the last', 4],
  ])('names a checkpoint that was dropped: %s (D17)', async (_which, number) => {
    const copy = aCopy();
    copy.objects.delete(checkpointKey(number));

    const result = await check(copy);

    expect(told(result)).toEqual([`checkpoint-missing checkpoint ${number}`]);
    expect(toReport(result)).toContain('BROKEN');
  });

  it('says nothing of lines whose checkpoint and manifest are both gone, but that it cannot, and names lines of other days', async () => {
    const copy = aCopy();
    const added = [anEvent(EMPTY, 98), anEvent(THIRD, 99)] as const;
    edit(copy, eventsKey(THIRD), (lines) => [...lines, ...added.map(({ line }) => line)]);
    copy.objects.delete(checkpointKey(3));

    const result = await check(copy);

    expect(told(result)).toEqual(['checkpoint-missing checkpoint 3', `line-added ${added[1].id}`]);
    expect(result.days.unknown).toBe(1);
  });

  it('names the manifest where the last checkpoint was dropped and nobody knows the head', async () => {
    const copy = aCopy();
    copy.objects.delete(checkpointKey(4));

    const result = await check(copy, { head: null });

    expect(told(result)).toEqual([`manifest-added ${manifestKey(SOURCE, THIRD, 0)}`]);
  });

  it('says that the end of the chain is not proven where nobody knows the head', async () => {
    const report = toReport(await check(aCopy(), { head: null }));

    expect(report).toMatch(/not known\s+without the\s+newest --head or --table/);
    expect(report).toMatch(/if checkpoint 4 is the\s+last one/);
  });

  it('names a checkpoint that was altered', async () => {
    const copy = aCopy();
    edit(copy, checkpointKey(2), ([line = '']) => [line.replace('"entries":3', '"entries":2')]);

    expect(told(await check(copy))).toEqual(['checkpoint-altered checkpoint 2']);
  });

  it('names a checkpoint that was added beside the true one', async () => {
    const copy = aCopy();
    edit(copy, checkpointKey(2), ([line = '']) => [line.replace('"entries":3', '"entries":2'), line]);

    const result = await check(copy);

    expect(result.findings).toMatchObject([{ kind: 'checkpoint-altered', place: { line: 1 } }]);
  });

  it('names a chain that was made anew, by its head', async () => {
    const copy = aCopy({ events: events.slice(1) });

    const result = await check(copy, { head: aCopy().head });

    expect(told(result)).toEqual(['checkpoint-altered checkpoint 4']);
  });

  it('names a checkpoint that follows another one than a head written down earlier', async () => {
    const copy = aCopy();

    const result = await check(copy, { head: { number: 3, sha256: 'a'.repeat(64) } });

    expect(told(result)).toEqual(['checkpoint-altered checkpoint 3', 'checkpoint-altered checkpoint 4']);
  });

  it('takes a head that was written down earlier', async () => {
    const copy = aCopy();
    const sha256 = checkpointSha256(copy.checkpoints[2]!);

    expect(told(await check(copy, { head: { number: 3, sha256 } }))).toEqual([]);
  });

  it('names a manifest that was altered (D17)', async () => {
    const copy = aCopy();
    const key = manifestKey(SOURCE, FIRST, 0);
    edit(copy, key, (lines) => lines.toSpliced(0, 1));

    expect(told(await check(copy))).toContain(`manifest-altered ${key}`);
  });

  it('names a manifest and its line where both were taken away', async () => {
    const copy = aCopy();
    const key = manifestKey(SOURCE, FIRST, 0);
    edit(copy, key, (lines) => lines.filter((line) => !line.startsWith(one.id)));
    edit(copy, eventsKey(FIRST), (lines) => lines.filter((line) => !line.includes(one.id)));

    expect(told(await check(copy))).toEqual([`manifest-altered ${key}`]);
  });

  it('names a manifest that is gone, and tells by the digest that the lines are the sealed ones', async () => {
    const copy = aCopy();
    const key = manifestKey(SOURCE, FIRST, 0);
    copy.objects.delete(key);

    const result = await check(copy);

    expect(told(result)).toEqual([`manifest-missing ${key}`]);
    expect(result.findings[0]?.how).toContain('the lines of the copy are the sealed ones all the same');
  });

  it('names a manifest that is gone, and tells by the digest that the lines are not the sealed ones', async () => {
    const copy = aCopy();
    copy.objects.delete(manifestKey(SOURCE, FIRST, 0));
    edit(copy, eventsKey(FIRST), (lines) => lines.slice(1));

    const result = await check(copy);

    expect(result.findings[0]?.how).toContain('of the 3 entries it named, 2 may be in the copy');
  });

  it('names a manifest that no checkpoint knows, and the line that only it names', async () => {
    const copy = aCopy();
    const added = anEvent(FIRST, 99);
    const key = manifestKey(SOURCE, FIRST, 1);
    copy.objects.set(key, `${added.id} ${added.sha256}\n`);
    edit(copy, eventsKey(FIRST), (lines) => [...lines, added.line]);

    expect(told(await check(copy))).toEqual([`manifest-added ${key}`, `line-added ${added.id}`]);
  });

  it('names a day that the chain leaves out', async () => {
    const copy = aCopy({ events: events.slice(0, 5) });
    sealDay(copy, '2026-11-20', 0, []);

    expect(told(await check(copy))).toEqual([`day-not-sealed ${OPEN_DAY}`]);
  });

  it('takes an amendment for part of its day', async () => {
    const late = anEvent(EMPTY, 42);

    const result = await check(aCopy({ late: [late] }));

    expect(told(result)).toEqual([]);
    expect(result.days).toMatchObject({ amendments: 1, entries: 6 });
  });

  it('misses no line of an entry in quarantine, and counts it', async () => {
    const result = await check(aCopy({ quarantined: [anEvent(FIRST, 50)] }));

    expect(told(result)).toEqual([]);
    expect(result.days.quarantined).toBe(1);
    expect(toReport(result)).toContain('The event bus has refused 1 entry for good');
  });

  it('misses a line that an amendment says is on the bus after all', async () => {
    const event = anEvent(FIRST, 50);
    const copy = aCopy({ quarantined: [event], late: [event] });
    expect(told(await check(copy))).toEqual([]);

    edit(copy, eventsKey(FIRST), (lines) => lines.filter((line) => !line.includes(event.id)));

    expect(told(await check(copy))).toEqual([`line-missing ${event.id}`]);
  });

  it('takes an entry without a time for the same one on whichever day it was observed', async () => {
    const stampless = anEvent(FIRST, 60, { at: null });
    const copy = aCopy({ events: [...events, stampless] });
    edit(copy, eventsKey(THIRD), (lines) => [...lines, stampless.line.replaceAll(`${FIRST}T11:00`, `${EMPTY}T00:01`)]);

    expect(told(await check(copy))).toEqual([]);
  });

  it('holds the object of an entry too large for the bus against its line', async () => {
    const large = anOversizeEvent(FIRST, 70);
    const copy = aCopy({ events: [...events, large] });
    expect(told(await check(copy))).toEqual([`whole-entry-missing ${large.id}`]);

    keepWhole(copy, large);
    expect(told(await check(copy))).toEqual([]);

    copy.objects.set(oversizeKey(SOURCE, large.id), large.object.replace('1.50', '2.50'));
    expect(told(await check(copy))).toEqual([`whole-entry-altered ${large.id}`]);

    copy.objects.set(oversizeKey(SOURCE, large.id), 'rubbish');
    expect(told(await check(copy))).toEqual([`whole-entry-altered ${large.id}`]);
  });

  it('counts a line of a sealed day that was observed after the seal, for an amendment to name', async () => {
    const copy = aCopy();
    const late = anEvent(FIRST, 80);
    edit(copy, eventsKey(THIRD), (lines) => [
      ...lines,
      late.line.replace(`"observedAt":"${FIRST}T11`, '"observedAt":"2026-11-20T08'),
    ]);

    const result = await check(copy);

    expect(told(result)).toEqual([]);
    expect(result.days.late).toMatchObject([{ id: late.id }]);
    expect(toReport(result)).toContain('1 line of sealed days came after the seal');
    expect(toReport(result)).toMatch(/but for\s+1\s+line\s+of\s+sealed\s+days\s+that\s+nothing\s+proves/);
  });

  it('claims nothing of lines observed before the first checkpoint begins its claim', async () => {
    const copy = aCopy();
    const early = anEvent(FIRST, 81).line.replace(`"observedAt":"${FIRST}`, '"observedAt":"2026-11-15');
    edit(copy, eventsKey(FIRST), (lines) => [...lines, early]);

    const result = await check(copy);

    expect(told(result)).toEqual([]);
    expect(result.days.uncovered).toBe(1);
    expect(toReport(result)).toMatch(/but for\s+1\s+line\s+of\s+sealed\s+days\s+that\s+nothing\s+proves/);
  });

  it('names a line of a later day that says it was observed before the first checkpoint (D17)', async () => {
    const copy = aCopy();
    const forged = anEvent(THIRD, 82);
    edit(copy, eventsKey(THIRD), (lines) => [
      ...lines,
      forged.line.replace(`"observedAt":"${THIRD}`, '"observedAt":"2026-11-15'),
    ]);

    expect(told(await check(copy))).toEqual([`line-added ${forged.id}`]);
  });

  it('checks the days asked for, and takes what lies around them for given', async () => {
    const copy = aCopy();
    edit(copy, eventsKey(FIRST), (lines) => lines.slice(1));
    edit(copy, eventsKey(THIRD), (lines) => lines.slice(1));

    const first = await check(copy, { period: { from: null, to: EMPTY } });
    const third = await check(copy, { period: { from: EMPTY, to: THIRD } });

    expect(told(first)).toEqual([`line-missing ${one.id}`]);
    expect(told(third)).toEqual([`line-missing ${four.id}`]);
    expect(third.days).toMatchObject({ sealedDays: 2, entries: 2 });
  });

  it('leaves out what belongs to another source', async () => {
    const copy = aCopy();
    edit(copy, eventsKey(FIRST), (lines) => [
      ...lines,
      anEvent(FIRST, 90).line.replace('"sourceId":"acme"', '"sourceId":"other"'),
    ]);

    expect(told(await check(copy))).toEqual([]);
  });

  it('tells gaps of the period, what was not delivered, and dead letters', async () => {
    const copy = aCopy();
    const gap = { from: `${FIRST}T09:00:00.000Z`, to: `${FIRST}T09:30:00.000Z`, reason: 'unpaged' };
    edit(copy, eventsKey(FIRST), (lines) => [...lines, aNotice('GapDetected', gap)]);
    copy.objects.set('errors/2026/11/16/failed.gz', '');

    const result = await check(copy, {
      readDeadLetters: async () => [{ url: 'https://sqs.example/queue', messages: 3 }],
    });

    expect(told(result)).toEqual([]);
    expect(result).toMatchObject({ gaps: [gap], deliveryErrors: 1 });
    expect(toReport(result)).toMatch(/3 messages in\s+https:\/\/sqs.example\/queue/);
    expect(toReport(result)).toContain('but for 1 gap');
    const gapsFrom = async (from: string | null, to: string | null) =>
      (await check(copy, { period: { from, to } })).gaps;
    expect(await gapsFrom(FIRST, FIRST)).toEqual([gap]);
    expect(await gapsFrom(EMPTY, null)).toEqual([]);
    expect(await gapsFrom(null, '2026-11-15')).toEqual([]);
  });

  it('refuses to call a folder complete that has nothing of the source', async () => {
    await expect(check(aCopy(), { sourceId: 'other', head: null })).rejects.toThrow(/none of source other/);
    await expect(check({ ...aCopy(), objects: new Map() }, { head: null })).rejects.toThrow(/0 lines/);
  });

  it('misses every checkpoint of an empty copy whose head is known', async () => {
    const copy = aCopy();

    const result = await check({ ...copy, objects: new Map() });

    expect(result.findings.filter(({ kind }) => kind === 'checkpoint-missing')).toHaveLength(4);
    expect(result.checkedAt).toBe(NOW);
  });
});
