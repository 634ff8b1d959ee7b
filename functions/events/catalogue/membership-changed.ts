import { entry } from './catalogued.ts';

export const membershipChanged = entry({
  type: 'MembershipChanged',
  when: 'A membership, plan, fee, subscription or application has changed, or a membership was renewed.',
  use: 'Grant or withdraw what comes with a membership; welcome, or remind.',
  actionKeys: ['SubscriptionRenewed', 'ApplicationApproved', 'MembershipPlanUpdated', 'MembershipFeePaid'],
  data: { memberName: 'Ada Tanaka', planName: 'Ordinary' },
});
