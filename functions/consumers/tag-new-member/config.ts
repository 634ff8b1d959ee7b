// The consumer's environment: the service, the tag, and every name that the interface document does not show. Holds
// names of secrets, never secrets.
import * as z from 'zod/mini';
import { patternInput, readInput, textInput } from '../../shared/checked-input.ts';

export type TagNewMemberEnvironment = {
  MEMBERSHIP_BASE_URL: string;
  /** Name or ARN of a secret with `{ "username", "password" }`. */
  MEMBERSHIP_SECRET_ID: string;
  ORGANISATION_ID: string;
  /** Action keys of new members, separated by commas. Not documented (A7). */
  ACTION_KEYS: string;
  /** The name that people see. */
  TAG_NAME: string;
  /** JSON pointers to the membership and the id of a contact. Not documented (A27). */
  CONTACT_MEMBERSHIP_FIELD: string;
  CONTACT_ID_FIELD: string;
  /** The field of `q` that finds a contact by its membership. Not documented (A29); default: read all contacts. */
  CONTACT_QUERY_FIELD?: string;
  /** JSON pointers to the name and the id of a tag. Not documented (A27). */
  TAG_NAME_FIELD: string;
  TAG_ID_FIELD: string;
  /**
   * JSON pointer to the contact's id in a member of a tag; default: the member is the id. Not documented (A23, A27).
   */
  TAG_MEMBER_ID_FIELD?: string;
  /** The name of the list of contact ids in the body of AddMembers. Not documented (A27). */
  MEMBER_LIST_FIELD: string;
};

export type TagNewMemberConfig = {
  baseUrl: string;
  secretId: string;
  organisationId: string;
  actionKeys: readonly string[];
  tagName: string;
  contactMembershipField: string;
  contactIdField: string;
  contactQueryField: string | null;
  tagNameField: string;
  tagIdField: string;
  tagMemberIdField: string;
  memberListField: string;
};

const pointer = patternInput('a JSON pointer such as "/id"', /(?:\/[^/]+)+/);
const name = textInput('a name');

// Not strict: an environment always holds variables that are not ours.
const environment = z.object({
  MEMBERSHIP_BASE_URL: textInput('the https address of the service'),
  MEMBERSHIP_SECRET_ID: textInput('the name of the secret with username and password'),
  ORGANISATION_ID: patternInput('the UUID of the organisation', /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/i),
  ACTION_KEYS: textInput('action keys separated by commas'),
  TAG_NAME: textInput('the name of the tag'),
  CONTACT_MEMBERSHIP_FIELD: pointer,
  CONTACT_ID_FIELD: pointer,
  CONTACT_QUERY_FIELD: z.optional(name),
  TAG_NAME_FIELD: pointer,
  TAG_ID_FIELD: pointer,
  TAG_MEMBER_ID_FIELD: z._default(patternInput('a JSON pointer such as "/id", or nothing', /(?:\/[^/]+)*/), ''),
  MEMBER_LIST_FIELD: name,
});

/** Reads the environment. Throws one InvalidEnvironment whose message lists every problem. */
export function readTagNewMemberConfig(env: Readonly<Record<string, string | undefined>>): TagNewMemberConfig {
  const read = readInput(environment, env, {
    code: 'InvalidEnvironment',
    subject: 'The environment of tag-new-member',
  });
  return {
    baseUrl: read.MEMBERSHIP_BASE_URL,
    secretId: read.MEMBERSHIP_SECRET_ID,
    organisationId: read.ORGANISATION_ID,
    actionKeys: read.ACTION_KEYS.split(',').map((key) => key.trim()),
    tagName: read.TAG_NAME,
    contactMembershipField: read.CONTACT_MEMBERSHIP_FIELD,
    contactIdField: read.CONTACT_ID_FIELD,
    contactQueryField: read.CONTACT_QUERY_FIELD ?? null,
    tagNameField: read.TAG_NAME_FIELD,
    tagIdField: read.TAG_ID_FIELD,
    tagMemberIdField: read.TAG_MEMBER_ID_FIELD,
    memberListField: read.MEMBER_LIST_FIELD,
  };
}
