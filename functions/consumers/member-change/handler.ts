// An example: logs one line for each change of a member. `npm run new-consumer` makes a consumer of your own.
import { type MemberChangedEvent, on } from '../../events/index.ts';
import { once } from '../once.ts';

/**
 * Logs one line for each change of a member, also if its event comes again. Rejects with EventInvalid for other input.
 */
export const handler = on({ MemberChanged: once(act) });

/** Runs once for each event, and again if it rejects. */
async function act({ detail: { metadata } }: MemberChangedEvent): Promise<void> {
  const { id, actionKey, organisationMembershipId, occurredAt } = metadata;
  // Nothing of `detail.data`: it is personal data, and logs are kept long and read by many.
  console.info({ id, actionKey, organisationMembershipId, occurredAt });
}
