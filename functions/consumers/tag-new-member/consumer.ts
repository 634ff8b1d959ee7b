import type { ConsumerDefinition } from '../definition.ts';
import type { TagNewMemberEnvironment } from './config.ts';

export default {
  description: 'Tags new members',
  detailTypes: ['MemberChanged'],
  // Without a filter that the service understands, it reads all contacts in pages.
  timeoutSeconds: 60,
  environment: {
    MEMBERSHIP_BASE_URL: null,
    ORGANISATION_ID: null,
    ACTION_KEYS: null,
    TAG_NAME: null,
    CONTACT_MEMBERSHIP_FIELD: null,
    CONTACT_ID_FIELD: null,
    CONTACT_QUERY_FIELD: '',
    TAG_NAME_FIELD: null,
    TAG_ID_FIELD: null,
    TAG_MEMBER_ID_FIELD: '',
    MEMBER_LIST_FIELD: null,
  } satisfies Record<keyof Omit<TagNewMemberEnvironment, 'MEMBERSHIP_SECRET_ID'>, string | null>,
  secrets: { MEMBERSHIP_SECRET_ID: null },
  enabled: false,
} satisfies ConsumerDefinition;
