import { describe, expect, it } from 'vitest';
import {
  readTagNewMemberConfig,
  type TagNewMemberEnvironment,
} from '../../../functions/consumers/tag-new-member/config.ts';
import { newMembershipIn } from '../../../functions/consumers/tag-new-member/tag-new-member.ts';
import type { MemberChangedEvent } from '../../../functions/events/index.ts';
import type { EventMetadata } from '../../../functions/events/event.ts';
import { deliveredEvent } from '../../support/delivered-events.ts';

const ORGANISATION = 'c7f11af2-04d9-47ce-b4ed-63fe38eb5997';
const MEMBERSHIP = '48699cf4-9a9a-4046-8859-a641dc927767';

const environment: TagNewMemberEnvironment = {
  MEMBERSHIP_BASE_URL: 'https://api.membership.example',
  MEMBERSHIP_SECRET_ID: 'acme',
  ORGANISATION_ID: ORGANISATION,
  ACTION_KEYS: 'ContactCreated, MemberJoined',
  TAG_NAME: 'New members',
  CONTACT_MEMBERSHIP_FIELD: '/membership/id',
  CONTACT_ID_FIELD: '/id',
  TAG_NAME_FIELD: '/name',
  TAG_ID_FIELD: '/id',
  MEMBER_LIST_FIELD: 'memberIds',
};

describe('the environment of tag-new-member', () => {
  it('is read with its lists and defaults', () => {
    expect(readTagNewMemberConfig(environment)).toMatchObject({
      actionKeys: ['ContactCreated', 'MemberJoined'],
      contactMembershipField: '/membership/id',
      contactQueryField: null,
      tagMemberIdField: '',
    });
  });

  it('is refused with every problem in one error', () => {
    const read = (): unknown =>
      readTagNewMemberConfig({ ...environment, TAG_NAME: '', ORGANISATION_ID: 'acme', CONTACT_ID_FIELD: 'id' });

    expect(read).toThrow(
      expect.objectContaining({
        code: 'InvalidEnvironment',
        details: expect.objectContaining({ problems: 3 }) as unknown,
      }),
    );
    expect(read).toThrow('CONTACT_ID_FIELD: does not have the right form; write a JSON pointer such as "/id"');
  });
});

describe('a new member', () => {
  const config = readTagNewMemberConfig(environment);
  const membershipIn = (metadata: Partial<EventMetadata>): string | null =>
    newMembershipIn(deliveredEvent('MemberChanged', metadata) as MemberChangedEvent, config);

  it.each<[string, Partial<EventMetadata>, string | null]>([
    ['by its action key', { actionKey: 'ContactCreated' }, MEMBERSHIP],
    ['by another of the keys', { actionKey: 'MemberJoined' }, MEMBERSHIP],
    ['when the entry names no organisation', { actionKey: 'ContactCreated', organisationId: null }, MEMBERSHIP],
    [
      'whatever the case of the organisation',
      { actionKey: 'ContactCreated', organisationId: ORGANISATION.toUpperCase() },
      MEMBERSHIP,
    ],
    ['not by another action', { actionKey: 'ContactUpdated' }, null],
    ['not without an action', { actionKey: null }, null],
    ['not of the past', { actionKey: 'ContactCreated', backfillId: 'start' }, null],
    ['not of another organisation', { actionKey: 'ContactCreated', organisationId: MEMBERSHIP }, null],
    ['not without a membership', { actionKey: 'ContactCreated', organisationMembershipId: null }, null],
  ])('is recognised %s', (_, metadata, membership) => {
    expect(membershipIn(metadata)).toBe(membership);
  });
});
