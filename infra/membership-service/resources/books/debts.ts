// Debts. All fields are invented: the interface document does not show their types.
import { DEBT } from '../../records/record-names.ts';
import { bookOperations } from './book-operations.ts';
import { contactOf } from '../contacts.ts';

const debts = bookOperations({
  collection: 'debts',
  shape: DEBT,
  newId: ({ state }) => state.newId('debt'),
  read: (sent, request, context) => ({
    amount: sent.amount('amount'),
    currency: sent.text('currency') ?? request.organisation.currency,
    description: sent.text('description'),
    dueOn: sent.text('dueOn'),
    isPaid: sent.flag('isPaid'),
    contactId: contactOf(sent.requiredText('contactId'), request, context).id,
  }),
});

export const {
  list: listDebts,
  create: createDebt,
  get: getDebt,
  update: updateDebt,
  removeWithId: deleteDebt,
} = debts;
