// The secret of destinations, as commands read and change it.
//
// Two operators at once: a change is written as a version under a label that nobody reads, and becomes current only if
// the version that was read still is. Secrets Manager compares the two in one call. The label is always the same: one
// that a killed command has left goes with the next change. Who loses it to another may lose the version, too.
import { randomUUID } from 'node:crypto';
import {
  PutSecretValueCommand,
  RestoreSecretCommand,
  type SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import type { OperatorDestinationKeys } from '../../destinations/ports.ts';
import { type DestinationSecret, toDestinationSecret } from '../../destinations/secret.ts';
import { BridgeError } from '../../shared/errors.ts';
import { systemClock } from '../../shared/clock.ts';
import { readSecret } from '../secrets/secret.ts';
import { toSdkFailure } from '../sdk-failure.ts';
import { createDestinationKeys } from './keys.ts';

const CURRENT = 'AWSCURRENT';
const CHANGE = 'change';
/** Another version is current; the version without a label was removed. */
const OVERTAKEN = ['InvalidParameterException', 'ResourceNotFoundException'];

type Options = { client: SecretsManagerClient; secretId: string };

export function createOperatorDestinationKeys({ client, secretId }: Options): OperatorDestinationKeys {
  const move = async (VersionStage: string, versions: { to?: string; from: string }): Promise<void> => {
    const { to: MoveToVersionId, from: RemoveFromVersionId } = versions;
    await client.send(
      new UpdateSecretVersionStageCommand({ SecretId: secretId, VersionStage, MoveToVersionId, RemoveFromVersionId }),
    );
  };
  const keys = createDestinationKeys({ client, secretId, clock: systemClock });
  return {
    read: async (options) => await keys.read(options),

    find: async (where) => {
      const options = typeof where === 'string' ? { secretId, stage: where } : { secretId: where.arn };
      try {
        return toDestinationSecret((await readSecret({ client, ...options }, '')).fields);
      } catch (error) {
        const { error: name } = error instanceof BridgeError ? error.details : {};
        if (name === 'InvalidRequestException') return 'deleted';
        if (name === 'ResourceNotFoundException' || name === undefined) return null;
        throw error;
      }
    },

    undelete: async () => void (await client.send(new RestoreSecretCommand({ SecretId: secretId }))),
    overwrite: async (secret) => await put(client, { secretId, id: randomUUID(), label: CURRENT, secret }),

    replace: async (versionId, secret) => {
      const id = randomUUID();
      await put(client, { secretId, id, label: CHANGE, secret });
      try {
        await move(CURRENT, { to: id, from: versionId });
        return true;
      } catch (error) {
        if (OVERTAKEN.includes(toSdkFailure(error).name)) return false;
        throw error;
      } finally {
        // Without a label Secrets Manager removes a version that is not current.
        await move(CHANGE, { from: id }).catch(() => {});
      }
    },
  };
}

async function put(
  client: SecretsManagerClient,
  { secretId, id, label, secret }: { secretId: string; id: string; label: string; secret: DestinationSecret },
): Promise<void> {
  const SecretString = JSON.stringify(secret);
  await client.send(
    new PutSecretValueCommand({ SecretId: secretId, ClientRequestToken: id, SecretString, VersionStages: [label] }),
  );
}
