// A membership service with one tag and some contacts, whose names of fields a test chooses.
import type { TagNewMemberEnvironment } from '../../../functions/consumers/tag-new-member/config.ts';
import { sendJson, startService, type Received } from '../membership/misbehaving-service.ts';

export const ORGANISATION = 'c7f11af2-04d9-47ce-b4ed-63fe38eb5997';
export const NEW_MEMBERSHIP = '48699cf4-9a9a-4046-8859-a641dc927767';
export const NEW_CONTACT = '1f3c9d0e-6c1b-4b62-9c55-7d1a2e0b9f10';
const TAG = '5b0a7c1d-2e3f-4a5b-8c6d-7e8f9a0b1c2d';
const PAGE = 2;

type Names = {
  contact: (id: string, membership: string) => object;
  tag: (id: string, name: string) => object;
  member: (id: string) => unknown;
  list: string;
  /** Whether undocumented answers have the envelope. */
  enveloped: boolean;
  firstPage: 0 | 1;
  environment: Partial<TagNewMemberEnvironment>;
};

export const NAMES: Readonly<Record<'long' | 'short', Names>> = {
  long: {
    contact: (contactId, organisationMembershipId) => ({ contactId, profile: { organisationMembershipId } }),
    tag: (tagId, tagName) => ({ tagId, tagName }),
    member: (contactId) => ({ contactId }),
    list: 'contactIds',
    enveloped: true,
    firstPage: 1,
    environment: {
      CONTACT_ID_FIELD: '/contactId',
      CONTACT_MEMBERSHIP_FIELD: '/profile/organisationMembershipId',
      TAG_ID_FIELD: '/tagId',
      TAG_NAME_FIELD: '/tagName',
      TAG_MEMBER_ID_FIELD: '/contactId',
      MEMBER_LIST_FIELD: 'contactIds',
    },
  },
  short: {
    contact: (id, membershipId) => ({ id, membershipId }),
    tag: (id, name) => ({ id, name }),
    member: (id) => id,
    list: 'memberIds',
    enveloped: false,
    firstPage: 0,
    environment: {
      CONTACT_ID_FIELD: '/id',
      CONTACT_MEMBERSHIP_FIELD: '/membershipId',
      TAG_ID_FIELD: '/id',
      TAG_NAME_FIELD: '/name',
      MEMBER_LIST_FIELD: 'memberIds',
    },
  },
};

/** Starts the service. `members` are the contacts in the tag, `added` the bodies of AddMembers. */
export async function startTagService({ contact, tag, member, list, enveloped, firstPage }: Names) {
  const contacts = [1, 2, 3, 4].map((number) => contact(`00000000-0000-4000-8000-00000000000${number}`, `m${number}`));
  contacts.push(contact(NEW_CONTACT, NEW_MEMBERSHIP));
  const world = { members: ['a', 'b', 'c'], added: [] as unknown[], hasTag: true };
  const answers: Record<string, (received: Received, query: URLSearchParams) => unknown> = {
    'POST /token': () => ({ access_token: 't1', token_type: 'bearer', expires_in: 3600 }),
    'GET contacts': (_, query) => pathOnly(pageFrom(contacts, Number(query.get('offset') ?? 0))),
    'GET tags': () => [
      tag('00000000-0000-4000-8000-000000000009', 'New'),
      ...(world.hasTag ? [tag(TAG, 'New members')] : []),
    ],
    'GET members': (_, query) =>
      pathOnly(pageFrom(world.members, (Number(query.get('page') ?? 0) - firstPage) * PAGE).map(member)),
    'POST AddMembers': ({ body }) => {
      const sent = JSON.parse(body) as Record<string, string[]>;
      world.added.push(sent);
      world.members = [...new Set([...world.members, ...(sent[list] ?? [])])];
      return sent;
    },
  };
  const pathOnly = (data: unknown): unknown => (enveloped ? { data, isValid: true, errors: [] } : data);
  const service = await startService((response, received) => {
    const { pathname, searchParams } = new URL(received.url, 'http://host');
    const key = `${received.method} ${pathname === '/token' ? pathname : pathname.split('/').at(-1)}`;
    sendJson(response, answers[key]?.(received, searchParams));
  });
  return Object.assign(world, { baseUrl: service.baseUrl, received: service.received });
}

function pageFrom<Item>(list: readonly Item[], from: number): Item[] {
  return list.slice(Math.max(0, from), Math.max(0, from + PAGE));
}
