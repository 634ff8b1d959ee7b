import { entry } from './catalogued.ts';

export const memberChanged = entry({
  type: 'MemberChanged',
  when: 'A member or contact was created, changed, merged or removed, or something of theirs was: name, email, phone, address, education, work, photo.',
  use: 'Keep a copy of the members up to date: read the member through the client, because the entry need not say what changed.',
  actionKeys: ['ContactUpdated', 'ContactCreated', 'ContactPrimaryEmailChanged', 'MemberMerged'],
  data: { memberName: 'Ada Tanaka' },
});
