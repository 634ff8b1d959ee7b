import { describe, expect, test } from 'vitest';
import { paceOf } from '../../../../../infra/local/run/pace.ts';
import { functionLines } from '../../../../../infra/local/run/report.ts';

describe('how often npm start polls', () => {
  test.each([
    [undefined, 5_000, 'every 5 s'],
    ['PT1M', 60_000, 'every 60 s'],
    ['PT5M', 1_000, 'every 5 s'],
    ['PT5S', 60_000, 'every 60 s, with ticks every 5 s'],
  ])('every %s, with a minute of %i ms, is %s', (every, minuteMs, text) => {
    const poller = { name: 'Poller', shortName: 'poller', kind: 'scheduled' as const, listensTo: [] };

    expect(functionLines([poller], paceOf({ every, minuteMs }))).toEqual([`function      poller  ${text}`]);
  });
});
