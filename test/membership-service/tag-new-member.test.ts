// A consumer against the local membership service: it works with the configured set of names, and only with that one.
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  readTagNewMemberConfig,
  type TagNewMemberEnvironment,
} from '../../functions/consumers/tag-new-member/config.ts';
import { tagNewMember } from '../../functions/consumers/tag-new-member/tag-new-member.ts';
import type { MemberChangedEvent } from '../../functions/events/index.ts';
import { createMembershipClient } from '../../functions/membership/client.ts';
import { newContactBody } from '../../infra/membership-service/records/examples.ts';
import { deliveredEvent } from '../support/delivered-events.ts';
import { callerOf, started } from './caller.ts';

const NAMES: Readonly<Record<'ordinary' | 'endless', Partial<TagNewMemberEnvironment>>> = {
  ordinary: {
    CONTACT_ID_FIELD: '/id',
    CONTACT_MEMBERSHIP_FIELD: '/organisationMembershipId',
    CONTACT_QUERY_FIELD: 'organisationMembershipId',
    TAG_ID_FIELD: '/id',
    TAG_NAME_FIELD: '/name',
    TAG_MEMBER_ID_FIELD: '/id',
    MEMBER_LIST_FIELD: 'memberIds',
  },
  endless: {
    CONTACT_ID_FIELD: '/contactId',
    CONTACT_MEMBERSHIP_FIELD: '/membership/membershipId',
    TAG_ID_FIELD: '/tagId',
    TAG_NAME_FIELD: '/label',
    MEMBER_LIST_FIELD: 'contacts',
  },
};

async function createWorld(personality: keyof typeof NAMES, names: keyof typeof NAMES = personality) {
  const service = await started({ personality });
  const { url: baseUrl, organisationId, username, password } = service;
  const caller = await callerOf(service);
  await caller.post(`/organisations/${organisationId}/contacts`, newContactBody(service.personality, 'Zoë New'));
  const { organisationMembershipId } = service.entries()[0]!;
  const client = createMembershipClient({ baseUrl, organisationId, credentials: { username, password } });
  onTestFinished(async () => await client.close());
  const config = readTagNewMemberConfig({
    MEMBERSHIP_BASE_URL: baseUrl,
    MEMBERSHIP_SECRET_ID: 'acme',
    ORGANISATION_ID: organisationId,
    ACTION_KEYS: 'ContactCreated',
    TAG_NAME: 'Newsletter',
    ...NAMES[names],
  });
  const event = deliveredEvent('MemberChanged', {
    actionKey: 'ContactCreated',
    organisationId,
    organisationMembershipId,
  }) as MemberChangedEvent;
  return { service, tag: async () => await tagNewMember(event, { client, config }) };
}

describe('tag-new-member, against the local membership service', () => {
  it.each(['ordinary', 'endless'] as const)('tags a new member of %s, once', async (personality) => {
    const { service, tag } = await createWorld(personality);

    const outcomes = [await tag(), await tag()];

    expect(outcomes).toEqual(['tagged', 'already tagged']);
    expect(service.entries().map(({ actionKey }) => actionKey)).toEqual(['ContactCreated', 'TagMemberAdded']);
    expect(service.entries()[1]?.organisationMembershipId).toBe(service.entries()[0]?.organisationMembershipId);
  });

  it.each([
    ['ordinary', 'endless'],
    ['endless', 'ordinary'],
  ] as const)('fails in %s under the names of %s, and changes nothing', async (personality, names) => {
    const { service, tag } = await createWorld(personality, names);

    await expect(tag()).rejects.toThrow('check the names in the environment');
    expect(service.entries()).toHaveLength(1);
  });
});
