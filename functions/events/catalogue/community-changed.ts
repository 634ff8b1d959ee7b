import { entry } from './catalogued.ts';

export const communityChanged = entry({
  type: 'CommunityChanged',
  when: 'A discussion board, a post, a comment, a job posting or a corporate member has changed.',
  use: 'Find content for a moderator; notify subscribers.',
  actionKeys: ['PostCreated', 'DiscussionBoardUpdated', 'JobPostingCreated', 'CorporateMemberUpdated'],
  data: { memberName: 'Ada Tanaka', details: { board: 'General' } },
});
