// Your first Lambda: copy this folder, do your own work where the line is logged, and make its effect idempotent on metadata.id, because events come at least once.
import { parse } from '../../events/index.ts';

/** Logs one line for each change of a member. Rejects with EventInvalid for what is no event of the bridge. */
export async function handler(input: unknown): Promise<void> {
  const event = parse(input);
  if (event['detail-type'] !== 'MemberChanged') return;
  const { id, actionKey, organisationMembershipId, occurredAt } = event.detail.metadata;
  // Nothing of `event.detail.data`: it is the member's own data, and a log is kept longer and read by more people than it should be.
  console.info({ id, actionKey, organisationMembershipId, occurredAt });
}
