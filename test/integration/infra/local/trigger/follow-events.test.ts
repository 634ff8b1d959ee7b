import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sampleEvent } from '../../../../../functions/events/sample-event.ts';
import { endOf, eventOf } from '../../../../../infra/local/trigger/follow-events.ts';
import { offeredBy } from '../../../../../infra/local/trigger/offer.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

const lineOf = (entrySha256: string, memberName = 'Ümit Şahin'): string => {
  const event = sampleEvent('MemberChanged', { detail: { metadata: { entrySha256 }, data: { memberName } } });
  return `{"bus":"b","acceptedAt":0,"event":${JSON.stringify(event)}}\n`;
};

describe('waiting for an event', () => {
  test('ends with the first one of the entry that follows, even if its line is written in two', async () => {
    const file = join(await temporaryFolder(), 'events.ndjson');
    await writeFile(file, lineOf('a') + lineOf('b', 'before'));
    const from = await endOf(file);
    const bytes = Buffer.from(lineOf('c') + lineOf('b', 'after'));

    const found = eventOf('b', { file, from, limitMs: 10_000 });
    await appendFile(file, bytes.subarray(0, bytes.indexOf('Ü') + 1));
    await appendFile(file, bytes.subarray(bytes.indexOf('Ü') + 1));

    expect(await found).toMatchObject({ detailType: 'MemberChanged', detail: { data: { memberName: 'after' } } });
  });

  test('ends with nothing after its limit', async () => {
    const file = join(await temporaryFolder(), 'events.ndjson');
    await writeFile(file, lineOf('a'));

    expect(await eventOf('b', { file, from: 0, limitMs: 200 })).toBeNull();
  });
});

test('a run against a real service triggers nothing in it, and says what works', async () => {
  const cloud = {} as Parameters<typeof offeredBy>[0]['cloud'];
  const { trigger, deliver } = offeredBy({ running: [], cloud, local: null, runMs: 5_000 });

  await expect(trigger({ name: 'PaymentChanged' })).rejects.toThrow(/^This run polls a real service, .* --sample --to/);
  await expect(deliver({ to: 'a' })).rejects.toThrow(/^No consumer is switched on in this run\./);
  await expect(trigger({})).rejects.toThrow('name: is missing; write a text.');
  await expect(deliver({ to: 3 })).rejects.toThrow('to: is not a text; write a text.');
});
