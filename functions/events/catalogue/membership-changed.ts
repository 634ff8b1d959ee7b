import { entry } from './catalogued.ts';

export const membershipChanged = entry({
  type: 'MembershipChanged',
  when: 'A membership, plan, fee, subscription or application has changed, or a membership was renewed.',
  use: 'Grant or withdraw the benefits of a membership; send a welcome or a reminder.',
  actionKeys: ['SubscriptionRenewed', 'ApplicationApproved', 'MembershipPlanUpdated', 'MembershipFeePaid'],
  data: { memberName: 'Ada Tanaka', details: { plan: 'Regular' } },
});
