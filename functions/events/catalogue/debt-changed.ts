import { entry } from './catalogued.ts';

export const debtChanged = entry({
  type: 'DebtChanged',
  when: 'A debt was created, changed or removed.',
  use: 'Send or stop reminders; keep the amount owed up to date.',
  actionKeys: ['DebtCreated', 'DebtUpdated', 'DebtDeleted'],
  data: { memberName: 'Ada Tanaka', details: { amount: 60, currency: 'EUR' } },
});
