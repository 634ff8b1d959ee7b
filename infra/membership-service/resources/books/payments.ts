// Payments. All fields are invented: the interface document does not show their types.
import { stampNow } from '../../changes/organisation-changes.ts';
import { PAYMENT } from '../../records/record-names.ts';
import { bookOperations } from './book-operations.ts';
import { contactOf } from '../contacts.ts';

const payments = bookOperations({
  collection: 'payments',
  shape: PAYMENT,
  newId: ({ state }) => state.newId('payment'),
  read: (sent, request, context) => ({
    amount: sent.amount('amount'),
    currency: sent.text('currency') ?? request.organisation.currency,
    description: sent.text('description'),
    paidOn: sent.text('paidOn') ?? stampNow(context.state),
    contactId: contactOf(sent.requiredText('contactId'), request, context).id,
  }),
});

export const {
  list: listPayments,
  create: createPayment,
  get: getPayment,
  update: updatePayment,
  remove: deletePayment,
} = payments;
