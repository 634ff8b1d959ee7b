// Your first Lambda: copy this folder and do your own work in `act`. What was done for an event is remembered for 8 days, because events come at least once.
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import type { Context } from 'aws-lambda';
import { type MemberChangedEvent, on } from '../../events/index.ts';

/** Longer than a day of EventBridge's retries with six hours of Lambda's, and than a redrive of dead letters within a week. */
const REMEMBERED_SECONDS = 8 * 86_400;

/** Logs one line for each change of a member, however often its event comes. Rejects with EventInvalid for what is no event of the bridge. */
export const handler = on({
  MemberChanged: (event, context: Context) => {
    once ??= createOnce();
    return once(event, context);
  },
});

/** Once for each event, and again where it was rejected. The context tells Powertools when an invocation that died is over. */
async function act({ detail: { metadata } }: MemberChangedEvent, _context: Context): Promise<void> {
  const { id, actionKey, organisationMembershipId, occurredAt } = metadata;
  // Nothing of `detail.data`: it is the member's own data, and a log is kept longer and read by more people than it should be.
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
