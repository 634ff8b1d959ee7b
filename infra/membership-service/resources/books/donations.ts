// Donations. All fields are invented: the interface document does not show their types.
import { stampNow } from '../../changes/organisation-changes.ts';
import { DONATION } from '../../records/record-names.ts';
import { bookOperations } from './book-operations.ts';
import { contactOf } from '../contacts.ts';

const donations = bookOperations({
  collection: 'donations',
  shape: DONATION,
  newId: ({ state }) => state.newId('donation'),
  read: (sent, request, context) => {
    const contactId = sent.text('contactId');
    return {
      amount: sent.amount('amount'),
      currency: sent.text('currency') ?? request.organisation.currency,
      campaign: sent.text('campaign'),
      donatedOn: sent.text('donatedOn') ?? stampNow(context.state),
      contactId: contactId === null ? null : contactOf(contactId, request, context).id,
    };
  },
});

export const {
  list: listDonations,
  create: createDonation,
  get: getDonation,
  update: updateDonation,
  removeWithId: deleteDonation,
} = donations;
