import { entry } from './catalogued.ts';

export const paymentChanged = entry({
  type: 'PaymentChanged',
  when: 'A payment, refund, invoice, credit card or transaction has changed.',
  use: 'Reconcile accounts. Amounts are members’ data: keep them out of logs.',
  actionKeys: ['PaymentCreated', 'InvoiceCreated', 'PaymentRefunded', 'CreditCardRemoved'],
  data: { memberName: 'Ada Tanaka', details: { amount: 120.5, currency: 'EUR' } },
});
