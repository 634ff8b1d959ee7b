import { expect, test } from 'vitest';
import { didYouMean, nearNames } from '../../../../infra/shared/near-names.ts';

const KNOWN = ['PaymentChanged', 'PaymentCreated', 'DebtCreated', 'TagCreated', 'MemberChanged', 'CreditCardRemoved'];

test.each([
  ['PaymentCreate', ['PaymentCreated', 'PaymentChanged']],
  ['payment', ['PaymentChanged', 'PaymentCreated']],
  ['Card', ['CreditCardRemoved']],
  ['DebtPosted', ['DebtCreated']],
  ['Paymnt', ['PaymentChanged', 'PaymentCreated']],
  ['x', []],
  ['', []],
  ['Nothing', []],
])('for %s the nearest names are %j', (written, near) => {
  expect(nearNames(written, KNOWN)).toEqual(near);
});

test('suggests at most four, or says nothing', () => {
  expect(didYouMean('Created', ['ACreated', 'BCreated', 'CCreated', 'DCreated', 'ECreated'])).toBe(
    ' Did you mean ACreated, BCreated, CCreated, DCreated?',
  );
  expect(didYouMean('Nothing', KNOWN)).toBe('');
});
