// Tags a new member: finds the contact, finds the tag by its name, and adds the contact unless it is there already.
import type { MemberChangedEvent } from '../../events/index.ts';
import type { JsonValue, MembershipClient } from '../../membership/client.ts';
import { scalarText, valueAt } from '../../shared/json.ts';
import type { TagNewMemberConfig } from './config.ts';

type Outcome = 'tagged' | 'already tagged' | 'skipped';

type Work = { client: MembershipClient; config: TagNewMemberConfig; signal?: AbortSignal };
type Found = { value: JsonValue; text: string };

/**
 * Adds the member of an event to the configured tag, once for any number of copies: a tagged member is not added again,
 * and of two concurrent deliveries the service keeps one, because a tag is a set (A30). Rejects with the client's
 * errors and for a missing contact or tag, so that the event is retried and then waits in the dead-letter queue.
 */
export async function tagNewMember(event: MemberChangedEvent, work: Work): Promise<Outcome> {
  const membershipId = newMembershipIn(event, work.config);
  if (membershipId === null) return 'skipped';
  const contact = await findContact(membershipId, work);
  const tagId = await findTag(work);
  if (await isTagged(tagId, contact, work)) return 'already tagged';
  const { client, config, signal } = work;
  await client.tags.addMembers({ id: tagId, body: { [config.memberListField]: [contact.value] }, signal });
  return 'tagged';
}

/** The new membership of an event; null for other actions, other organisations and backfilled events. Pure. */
export function newMembershipIn({ detail }: MemberChangedEvent, config: TagNewMemberConfig): string | null {
  const { actionKey, backfillId, organisationId, organisationMembershipId } = detail.metadata;
  if (actionKey === null || !config.actionKeys.includes(actionKey) || backfillId !== null) return null;
  return isSame(organisationId ?? config.organisationId, config.organisationId) ? organisationMembershipId : null;
}

/** Compares each contact, because a service may ignore an unknown filter. */
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
    'No contact with an id has this membership. It may not be visible yet; if this lasts, check the names in the environment.',
  );
}

async function findTag({ client, config, signal }: Work): Promise<string> {
  for await (const tag of client.tags.each({ text: config.tagName, signal })) {
    const id = textAt(tag, config.tagIdField);
    if (id !== null && textAt(tag, config.tagNameField) === config.tagName) return id;
  }
  throw new Error(`There is no tag ${config.tagName} with an id. Create it, or check the names in the environment.`);
}

async function isTagged(tagId: string, contact: Found, { client, config, signal }: Work): Promise<boolean> {
  for await (const member of client.tags.eachMember({ id: tagId, signal }))
    if (isSame(textAt(member, config.tagMemberIdField), contact.text)) return true;
  return false;
}

function textAt(record: unknown, pointer: string): string | null {
  return scalarText(valueAt(record as JsonValue, pointer));
}

/** UUIDs are case-insensitive. */
function isSame(left: string | null, right: string): boolean {
  return left?.toLowerCase() === right.toLowerCase();
}
