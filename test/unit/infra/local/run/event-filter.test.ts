import { describe, expect, test } from 'vitest';
import { filterLines, isShown, readEventFilter } from '../../../../../infra/local/run/event-filter.ts';

const event = (detailType: string, actionKey: unknown, source = 'membership.actionlog') => ({
  source,
  detailType,
  detail: { metadata: { actionKey } },
});

describe('the filter of shown events', () => {
  test.each([
    ['MemberChanged', event('MemberChanged', 'ContactUpdated'), true],
    ['memberchanged', event('MemberChanged', 'ContactUpdated'), true],
    ['Payment*', event('PaymentChanged', 'InvoiceCreated'), true],
    ['Payment*', event('OtherActionLogged', 'PaymentListed'), true],
    ['*Updated', event('MemberChanged', 'ContactUpdated'), true],
    ['MemberChanged, Debt*', event('DebtChanged', 'DebtCreated'), true],
    ['Payment*', event('MemberChanged', 'ContactUpdated'), false],
    ['Member', event('MemberChanged', 'ContactUpdated'), false],
    ['null', event('MemberChanged', null), false],
    ['Gap*', event('GapDetected', undefined, 'membership.bridge'), true],
    ['Contact*', event('Mine', 'ContactUpdated', 'my.app'), false],
  ])('%s: %j is shown: %s', (text, one, shown) => {
    expect(isShown(readEventFilter(text), one)).toBe(shown);
  });

  test('refuses nothing between two commas', () => {
    expect(() => readEventFilter('MemberChanged,,Debt*')).toThrow(/^has nothing between two commas; write names/);
  });

  test('says what it leaves out, and which name matches nothing known', () => {
    expect(filterLines(['Paymnt*', 'Member*', 'Zebra'])).toEqual([
      'Only these events are shown: Paymnt*, Member*, Zebra. events.ndjson in the state folder has all.',
      expect.stringMatching(
        /^--events Paymnt\* matches no detail type and no known action key\. Did you mean PaymentChanged, /,
      ),
      '--events Zebra matches no detail type and no known action key.',
    ]);
  });
});
