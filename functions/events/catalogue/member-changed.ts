import { entry } from './catalogued.ts';

export const memberChanged = entry({
  type: 'MemberChanged',
  when: 'A member or contact was created, changed, merged or removed, or their name, email, phone, address, education, work or photo was.',
  use: 'Keep a copy of the members up to date. Read the member through the client, because the entry may not say what changed.',
  actionKeys: ['ContactUpdated', 'ContactCreated', 'ContactPrimaryEmailChanged', 'MemberMerged'],
  data: { memberName: 'Ada Tanaka', details: { field: 'city' } },
});
