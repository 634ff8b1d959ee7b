import { entry } from './catalogued.ts';

export const tagChanged = entry({
  type: 'TagChanged',
  when: 'A tag has changed, or members were added to it or removed from it.',
  use: 'Keep groups elsewhere (mailing lists, roles) in step with tags.',
  actionKeys: ['TagMemberAdded', 'TagCreated', 'ContactUntagged'],
  data: { memberName: 'Ada Tanaka', details: { tag: 'Newsletter' } },
});
