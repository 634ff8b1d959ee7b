// The secret of a source, as the operator's commands read and write it.
import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import type { OperatorCloud } from '../../operator/bridge/ports.ts';
import { createSecretsManagerClient } from '../clients.ts';
import { createCredentialsReader } from '../secrets/credentials.ts';
import { asOperator } from './as-operator.ts';

export function createOperatorSecrets(): Pick<OperatorCloud, 'readCredentials' | 'writeCredentials'> {
  const client = createSecretsManagerClient();
  return {
    readCredentials: async (secretId) =>
      await asOperator(
        'secretsmanager:GetSecretValue',
        async () => await createCredentialsReader({ client, secretId }).read(),
      ),

    writeCredentials: async (secretId, credentials) =>
      await asOperator('secretsmanager:PutSecretValue', async () => {
        const SecretString = JSON.stringify(credentials);
        await client.send(new PutSecretValueCommand({ SecretId: secretId, SecretString }));
      }),
  };
}
