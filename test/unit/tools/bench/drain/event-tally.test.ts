import { expect, it } from 'vitest';
import { tallyEvents } from '../../../../tools/bench/drain/event-tally.ts';

const entry = (Source: string, id: string) => ({
  Source,
  Detail: JSON.stringify({ metadata: { id, entrySha256: `sha ${id}`, sourceId: 'acme' }, data: {} }),
});

it('accepts every event, and keeps what the summary needs of those of entries', () => {
  const tally = tallyEvents();

  const { status, body } = tally.accept(
    JSON.stringify({ Entries: [entry('membership.actionlog', '1'), entry('membership.bridge', 'notice')] }),
  );

  expect(status).toBe(200);
  expect(JSON.parse(body)).toMatchObject({ FailedEntryCount: 0, Entries: [{}, {}] });
  expect([...tally.events()]).toEqual([
    {
      source: 'membership.actionlog',
      detail: { metadata: { id: '1', entrySha256: 'sha 1', sourceId: 'acme' } },
      acceptedAt: 0,
    },
  ]);
});
