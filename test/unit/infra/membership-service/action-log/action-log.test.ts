import { describe, expect, it } from 'vitest';
import { logOf, NOON } from './a-log.ts';

describe('a log of many', () => {
  const many = 2_000;
  const member = { name: 'Zoë', organisationMembershipId: 'aaaaaaaa-0000-4000-8000-000000000001' };

  it.each(['ascending', 'descending', 'random'] as const)(
    'is filtered by action or member like a full scan, in %s order',
    (order) => {
      const log = logOf({ order, pages: { maximum: many } });
      for (let second = 0; second < 300; second += 1) {
        const about = second % 7 === 0 ? member : null;
        const at = NOON + ((second * 37) % 300) * 1000;
        log.state.commit([{ actionKey: `Deed${second % 5}`, member: about, performedBy: 'Ada', details: {}, at }]);
      }
      const all = log.page({ pageSize: `${many}` }).json.toSorted();
      const found = (parameters: Record<string, string>): string[] =>
        log
          .walk({ pageSize: '9', ...parameters })
          .flatMap(({ json }) => json)
          .toSorted();

      expect(found({ actionKeys: 'Deed3' })).toEqual(all.filter((json) => json.includes('"Deed3"')));
      expect(found({ organisationMembershipId: member.organisationMembershipId })).toEqual(
        all.filter((json) => json.includes('Zoë')),
      );
      expect(found({ organisationMembershipId: member.organisationMembershipId, actionKeys: 'Deed3,Deed4' })).toEqual(
        all.filter((json) => /Zoë/.test(json) && /"Deed[34]"/.test(json)),
      );
      expect(found({ actionKeys: 'Nothing' })).toEqual([]);
    },
  );
});
