// Your first Lambda: copy this folder and do your own work in `act`. Processed events are remembered for 8 days,
// because events come at least once.
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import type { Context } from 'aws-lambda';
import { type MemberChangedEvent, on } from '../../events/index.ts';

/** Longer than EventBridge's retries of a day, Lambda's of six hours, and a redrive of dead letters within a week. */
const REMEMBERED_SECONDS = 8 * 86_400;

/**
 * Logs one line for each change of a member, also if its event comes again. Rejects with EventInvalid for other input.
 */
export const handler = on({
  MemberChanged: (event, context: Context) => {
    once ??= createOnce();
    return once(event, context);
  },
});

/** Runs once for each event, and again if it rejects. The context tells Powertools when a dead invocation has ended. */
async function act({ detail: { metadata } }: MemberChangedEvent, _context: Context): Promise<void> {
  const { id, actionKey, organisationMembershipId, occurredAt } = metadata;
  // Nothing of `detail.data`: it is personal data, and logs are kept long and read by many.
  console.info({ id, actionKey, organisationMembershipId, occurredAt });
}

let once: ReturnType<typeof createOnce> | null = null;

function createOnce() {
  const persistenceStore = new DynamoDBPersistenceLayer({ tableName: process.env['IDEMPOTENCY_TABLE_NAME'] ?? '' });
  const config = new IdempotencyConfig({
    eventKeyJmesPath: 'detail.metadata.id',
    throwOnNoIdempotencyKey: true,
    expiresAfterSeconds: REMEMBERED_SECONDS,
  });
  return makeIdempotent(act, { persistenceStore, config });
}
