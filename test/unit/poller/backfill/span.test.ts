import { expect, it } from 'vitest';
import { beginBackfill } from '../../../../functions/poller/backfill/span.ts';
import { DAY, HOUR, NOW, settingsOf } from '../builders.ts';

const span = { id: 'b1', from: NOW - 10 * DAY, to: NOW };

it('the sweep of a backfill asks for more than its span on both sides, which filters may read otherwise', () => {
  const { lookbackMs } = settingsOf();
  const sweep = beginBackfill(span, { lookbackMs }, { now: NOW, id: 'sweep', queryHash: 'hash' });

  expect(sweep).toMatchObject({ level: 'backfill', backfill: span, startedAt: NOW });
  expect(sweep.windows).toMatchObject([{ from: span.from - 30 * HOUR, to: span.to + 30 * HOUR }]);
});
