// The sealer's function: it takes the settings of a source, like the poller, and returns how far the source is sealed.
import type { Context } from 'aws-lambda';
import { createAuditBucket, createS3Client } from '../../aws/audit/audit-bucket.ts';
import { createCheckpointChain } from '../../aws/audit/checkpoint-chain.ts';
import { createDynamoDbClient, createEventBridgeClient, createSecretsManagerClient } from '../../aws/clients.ts';
import { createBoundCredentialsReader } from '../../aws/secrets/bound-credentials.ts';
import { createEventBus } from '../../aws/events/event-bus.ts';
import { createLogs } from '../../aws/log.ts';
import { createStateReader } from '../../aws/table/state-reader.ts';
import { createTrailReader } from '../../aws/audit/trail-reader.ts';
import { credentialsBoundTo } from '../../source/binding.ts';
import { checkDeployed, type DeployedSource, readDeployedSources } from '../../source/deployed-sources.ts';
import { readSourceSettings } from '../../source/settings.ts';
import { systemClock, type Clock } from '../../shared/clock.ts';
import { canonicalJson, type JsonValue, sha256Hex, toJson } from '../../shared/json.ts';
import { readSealerConfig, type SealerConfig } from './config.ts';
import { seal, type SealResult } from './seal.ts';

export type Sealer = (
  settings: unknown,
  context: Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>,
) => Promise<SealResult>;

/**
 * Connects the sealer to AWS. Clients and the bus check outlive an invocation; nothing else does. `deployed`: the
 * sources as they were deployed.
 */
export function createSealer(
  config: SealerConfig,
  deployed: readonly DeployedSource[],
  clock: Clock = systemClock,
): Sealer {
  const logFor = createLogs('sealer', config.logLevel);
  const secretsManager = createSecretsManagerClient();
  const table = { client: createDynamoDbClient(), tableName: config.stateTableName, clock };
  const adapters = {
    state: createStateReader(table),
    trail: createTrailReader(table),
    chain: createCheckpointChain(table),
    bucket: createAuditBucket({ client: createS3Client(), bucketName: config.bucketName }),
    bus: createEventBus({ client: createEventBridgeClient(), busName: config.eventBusName, clock }),
  };
  return async (input, { awsRequestId: requestId, getRemainingTimeInMillis }) => {
    const settings = readSourceSettings(input, clock.now());
    checkDeployed(settings, deployed);
    const secret = createBoundCredentialsReader({ client: secretsManager, secretId: settings.secretId });
    const log = logFor({ sourceId: settings.sourceId, requestId });
    const result = await seal({
      ...adapters,
      settings,
      settingsText: toJson(input as JsonValue),
      settingsSha256: sha256Hex(canonicalJson(input as JsonValue)),
      credentials: credentialsBoundTo(settings, secret, { deployed }),
      remainingMs: getRemainingTimeInMillis(),
      requestId,
      clock,
      log,
    });
    log.info('The sealer has checked the closed days.', result);
    return result;
  };
}

let sealer: Sealer | null = null;

/** Seals the closed days of one source. Rejects with a BridgeError if a step fails. */
export async function handler(event: unknown, context: Context): Promise<SealResult> {
  sealer ??= createSealer(readSealerConfig(process.env), readDeployedSources(process.env['LAMBDA_TASK_ROOT'] ?? ''));
  return await sealer(event, context);
}
