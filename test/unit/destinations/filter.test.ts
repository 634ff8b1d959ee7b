import { describe, expect, it } from 'vitest';
import type { Destination } from '../../../functions/destinations/destination.ts';
import { createDestinationFilter, replayNameFor } from '../../../functions/destinations/filter.ts';
import type { JsonObject } from '../../../functions/shared/json.ts';
import { DEFAULTS } from './a-destination.ts';

const all: Destination = { ...DEFAULTS, name: 'crm', url: 'https://example.org/' };

const event = (metadata: JsonObject = {}, envelope: JsonObject = {}): JsonObject => ({
  source: 'membership.actionlog',
  'detail-type': 'MemberChanged',
  ...envelope,
  detail: { metadata: { sourceId: 'acme', actionKey: 'ContactCreated', backfillId: null, ...metadata }, data: null },
});
const notice = event({ actionKey: null }, { source: 'membership.bridge', 'detail-type': 'GapDetected' });
const gets = (destination: Partial<Destination>, given = event()): boolean =>
  createDestinationFilter({ ...all, ...destination })(given);

describe('a destination gets', () => {
  it.each([
    ['everything without a filter', {}, event(), true],
    ['notices, too', {}, notice, true],
    ['its detail types', { detailTypes: ['MemberChanged'] }, event(), true],
    ['no others', { detailTypes: ['PaymentChanged'] }, event(), false],
    ['its action keys', { actionKeys: ['Contact*'] }, event(), true],
    ['no others', { actionKeys: ['!Contact*'] }, event(), false],
    ['its sources', { sources: ['acme'] }, event(), true],
    ['no others', { sources: ['other'] }, event(), false],
    [
      'what fits its pattern',
      { pattern: { detail: { metadata: { actionKey: [{ prefix: 'Contact' }] } } } },
      event(),
      true,
    ],
    ['nothing else', { pattern: { detail: { metadata: { actionKey: ['x'] } } } }, event(), false],
    ['only what fits every filter', { detailTypes: ['MemberChanged'], sources: ['other'] }, event(), false],
  ] as const)('%s: %j', (_what, destination, given, wanted) => {
    expect(gets(destination, given)).toBe(wanted);
  });
});

describe('what is old (D29)', () => {
  const backfilled = event({ backfillId: 'start' });
  const replayed = event({}, { 'replay-name': 'somebody-elses' });

  it.each([backfilled, replayed])('goes only where a destination asks for it', (given) => {
    expect(gets({}, given)).toBe(false);
    expect(gets({ replays: true }, given)).toBe(true);
  });

  it('that is replayed to one destination goes to that one alone, whether it asks for replays or not', () => {
    const to = event({}, { 'replay-name': replayNameFor('crm', Date.UTC(2026, 10, 23), 'to') });
    expect(gets({}, to)).toBe(true);
    expect(gets({ name: 'crm-2', replays: true }, to)).toBe(false);
    expect(gets({ name: 'cr', replays: true }, to)).toBe(false);
  });

  it('has a replay name that EventBridge takes', () => {
    expect(replayNameFor('a'.repeat(31), Date.now(), 'again')).toMatch(/^[.\-_A-Za-z0-9]{1,64}$/);
  });
});
