import { entry } from './catalogued.ts';

export const donationChanged = entry({
  type: 'DonationChanged',
  when: 'A donation or a donor has changed.',
  use: 'Thank the donor; update the total of a campaign.',
  actionKeys: ['DonationCreated', 'DonorUpdated'],
  data: { memberName: 'Ada Tanaka', details: { amount: 25, currency: 'EUR' } },
});
