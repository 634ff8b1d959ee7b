// A new member gets a tag: find the contact, find the tag by its name, and add the one to the other unless it is there.
import type { MemberChangedEvent } from '../../events/index.ts';
import type { JsonValue, MembershipClient } from '../../membership/client.ts';
import { scalarText, valueAt } from '../../shared/json.ts';
import type { TagNewMemberConfig } from './config.ts';

export type Outcome = 'tagged' | 'already tagged' | 'passed over';

type Work = { client: MembershipClient; config: TagNewMemberConfig; signal?: AbortSignal };
type Found = { value: JsonValue; text: string };

/**
 * Adds the member of an event to the configured tag. Does it once, however often the event comes: who is in the tag already is not added, and two deliveries at
 * the same moment add the same member to what the service is taken to keep as a set (A30). Rejects with the client's errors, and where the contact or the tag
 * is not there (yet), so that the event is tried again and then waits in the dead-letter queue.
 */
export async function tagNewMember(event: MemberChangedEvent, work: Work): Promise<Outcome> {
  const membershipId = newMembershipIn(event, work.config);
  if (membershipId === null) return 'passed over';
  const contact = await findContact(membershipId, work);
  const tagId = await findTag(work);
  if (await isTagged(tagId, contact, work)) return 'already tagged';
  const { client, config, signal } = work;
  await client.tags.addMembers({ id: tagId, body: { [config.memberListField]: [contact.value] }, signal });
  return 'tagged';
}

/** The membership that an event tells to be new; null for other actions, other organisations, and what is read of the past because of startFrom. Pure. */
export function newMembershipIn({ detail }: MemberChangedEvent, config: TagNewMemberConfig): string | null {
  const { actionKey, backfillId, organisationId, organisationMembershipId } = detail.metadata;
  if (actionKey === null || !config.actionKeys.includes(actionKey) || backfillId !== null) return null;
  return isSame(organisationId ?? config.organisationId, config.organisationId) ? organisationMembershipId : null;
}

/** Each contact is compared, whatever the filter did: one that the service does not know, and ignores, only makes it slower. */
async function findContact(membershipId: string, { client, config, signal }: Work): Promise<Found> {
  const { contactQueryField, contactMembershipField, contactIdField } = config;
  const filter = contactQueryField === null ? {} : { q: { [contactQueryField]: membershipId } };
  for await (const contact of client.contacts.each({ ...filter, signal })) {
    if (!isSame(textAt(contact, contactMembershipField), membershipId)) continue;
    const value = valueAt(contact, contactIdField) ?? null;
    const text = scalarText(value);
    if (text !== null) return { value, text };
  }
  throw new Error(
    'No contact with an id has this membership. It may not be visible yet; else check the names in the environment.',
  );
}

async function findTag({ client, config, signal }: Work): Promise<string> {
  const tags = await client.tags.list({ text: config.tagName, signal });
  const found = tags.find((tag) => textAt(tag, config.tagNameField) === config.tagName);
  const id = textAt(found ?? null, config.tagIdField);
  if (id === null)
    throw new Error(`There is no tag ${config.tagName} with an id. Create it, or check the names in the environment.`);
  return id;
}

async function isTagged(tagId: string, contact: Found, { client, config, signal }: Work): Promise<boolean> {
  for await (const member of client.tags.eachMember({ id: tagId, signal }))
    if (isSame(textAt(member, config.tagMemberIdField), contact.text)) return true;
  return false;
}

function textAt(record: unknown, pointer: string): string | null {
  return scalarText(valueAt(record as JsonValue, pointer));
}

/** UUIDs are the same in capital letters. */
function isSame(left: string | null, right: string): boolean {
  return left?.toLowerCase() === right.toLowerCase();
}
