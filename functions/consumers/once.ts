// Acts once for each event, however often it arrives: the part that all consumers share.
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import type { Context } from 'aws-lambda';
import type { TypedEvent } from '../events/index.ts';

/** Longer than EventBridge's retries of a day, Lambda's of six hours, and a redrive of dead letters within a week. */
const REMEMBERED_SECONDS = 8 * 86_400;

/**
 * Makes a function for `on` that calls `act` once for each `detail.metadata.id` within 8 days, and again if `act`
 * rejects. Each consumer has a table of its own for this. A crash between the effect and the end of `act` repeats it.
 */
export function once<Event extends TypedEvent>(
  act: (event: Event, context: Context) => Promise<void>,
): (event: Event, context: Context) => Promise<void> {
  let acting: typeof act | null = null;
  // The context tells Powertools when an invocation that died would have ended.
  return async (event, context) => {
    acting ??= createActing(act);
    await acting(event, context);
  };
}

function createActing<Act extends (...args: never[]) => Promise<void>>(act: Act) {
  const persistenceStore = new DynamoDBPersistenceLayer({ tableName: process.env['IDEMPOTENCY_TABLE_NAME'] ?? '' });
  const config = new IdempotencyConfig({
    eventKeyJmesPath: 'detail.metadata.id',
    throwOnNoIdempotencyKey: true,
    expiresAfterSeconds: REMEMBERED_SECONDS,
  });
  return makeIdempotent(act, { persistenceStore, config });
}
