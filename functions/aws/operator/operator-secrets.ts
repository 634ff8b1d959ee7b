// The secret of a source, as the operator's commands read and write it.
import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import type { OperatorCloud } from '../../operator/bridge/ports.ts';
import { Problem } from '../../shared/problem.ts';
import { createSecretsManagerClient } from '../clients.ts';
import { asSame, BOUND_FORM, createBoundCredentialsReader } from '../secrets/bound-credentials.ts';
import { readSecret } from '../secrets/secret.ts';
import { asOperator } from './as-operator.ts';

export function createOperatorSecrets(): Pick<OperatorCloud, 'readCredentials' | 'writeCredentials' | 'bindSecret'> {
  const client = createSecretsManagerClient();
  const put = async (secretId: string, fields: object): Promise<void> =>
    await asOperator('secretsmanager:PutSecretValue', async () => {
      await client.send(new PutSecretValueCommand({ SecretId: secretId, SecretString: JSON.stringify(fields) }));
    });
  return {
    readCredentials: async (secretId) =>
      await asOperator(
        'secretsmanager:GetSecretValue',
        async () => await createBoundCredentialsReader({ client, secretId }).read(),
      ),

    writeCredentials: async (secretId, { username, password }, binding) =>
      await put(secretId, { username, password, ...binding }),

    bindSecret: async (secretId, { versionId, binding }) => {
      const present = await asOperator(
        'secretsmanager:GetSecretValue',
        async () => await readSecret({ client, secretId }, BOUND_FORM),
      );
      if (present.versionId !== versionId)
        throw new Problem(`Somebody has just written another version of the secret ${secretId}. Run this again.`);
      await put(secretId, { ...present.fields, ...binding, ...asSame(present) });
    },
  };
}
