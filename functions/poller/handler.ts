// The schedule's function: an invocation's event is a source's settings, its answer what the poll did.
import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import { createAuditTrail } from '../aws/audit/audit-trail.ts';
import { createDynamoDbClient, createEventBridgeClient, createSecretsManagerClient } from '../aws/clients.ts';
import { createCredentialsReader } from '../aws/secrets/credentials.ts';
import { createEventBus } from '../aws/events/event-bus.ts';
import { createLedger } from '../aws/table/ledger.ts';
import { createLogs } from '../aws/log.ts';
import { createQuarantine } from '../aws/table/quarantine.ts';
import { createStateStore } from '../aws/table/state-store.ts';
import { systemClock } from '../shared/clock.ts';
import { readPollerConfig, type PollerConfig } from './config.ts';
import { createPollMetrics } from './metrics.ts';
import { pageLimits } from './page-limits.ts';
import { poll } from './poll.ts';
import type { PollResult } from './result.ts';
import { createSessions } from '../source/session.ts';
import { readSourceSettings } from '../source/settings.ts';

export type Poller = (
  settings: unknown,
  context: Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>,
) => Promise<PollResult>;

/** Joins the poll with AWS. Clients, bus check and tokens outlive an invocation; nothing else does. */
export function createPoller(config: PollerConfig): Poller {
  const logFor = createLogs('poller', config.logLevel);
  const metrics = createPollMetrics(config.metricsNamespace);
  const clock = systemClock;
  const dynamoDb = createDynamoDbClient();
  const secretsManager = createSecretsManagerClient();
  const table = { client: dynamoDb, tableName: config.stateTableName, clock };
  const store = createStateStore(table);
  const ledger = createLedger(table);
  const quarantine = createQuarantine(table);
  const auditTrail = config.auditTrail ? createAuditTrail(table) : null;
  const bus = createEventBus({ client: createEventBridgeClient(), busName: config.eventBusName, clock });
  const sessionFor = createSessions({
    clock,
    limits: pageLimits(config.memoryMb),
    credentialsFor: (secretId) => createCredentialsReader({ client: secretsManager, secretId }),
  });
  return async (input, context) =>
    await metrics.measure(sourceIdIn(input), async () => {
      const settings = readSourceSettings(input);
      // Every line names its run as the run's events do (`metadata.requestId`).
      const log = logFor({ sourceId: settings.sourceId, requestId: context.awsRequestId });
      const result = await poll({
        settings,
        remainingMs: context.getRemainingTimeInMillis(),
        owner: `${context.awsRequestId}#${randomUUID()}`,
        requestId: context.awsRequestId,
        traceHeader: process.env['_X_AMZN_TRACE_ID'],
        clock,
        log,
        session: sessionFor(settings),
        store,
        ledger,
        quarantine,
        auditTrail,
        bus,
      });
      log.info('Polled.', result);
      return result;
    });
}

/** The source of an invocation before its settings are checked, so that wrong settings are counted there. */
function sourceIdIn(input: unknown): string {
  const { sourceId } = (input ?? {}) as { sourceId?: unknown };
  return typeof sourceId === 'string' ? sourceId : 'unknown';
}

let poller: Poller | null = null;

/** Polls one source. Rejects with a BridgeError when the run failed, so that the invocation counts as failed. */
export async function handler(event: unknown, context: Context): Promise<PollResult> {
  poller ??= createPoller(readPollerConfig(process.env));
  return await poller(event, context);
}
