// The secret of a source of cdk.json: CloudFormation makes its name, so it is found by the logical id that the name
// begins with, and by the tag of its environment.
import { paginateListSecrets, type SecretListEntry, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { BridgeError } from '../../shared/errors.ts';
import { bridgeOf, SECRET_TAG, stackSecretIn } from '../../source/fixed-names.ts';
import { toBridgeError } from '../sdk-failure.ts';

type Named = { client: SecretsManagerClient; secretId: string };

/** The ARN of what `secretOfStack` names; any other name or ARN as it is. Rejects with CredentialsUnreadable. */
export async function secretArnOf({ client, secretId }: Named): Promise<string> {
  const named = stackSecretIn(secretId);
  if (named === null) return secretId;
  const { stackName, logicalId } = named;
  const environment = bridgeOf(stackName);
  const found = await listBeginning(client, `${logicalId}-`).catch((error: unknown) => {
    throw toBridgeError('CredentialsUnreadable', error, {
      doing: `Looking up the secret ${secretId}`,
      advice: 'Check that the function has the right secretsmanager:ListSecrets.',
      details: { secretId },
    });
  });
  const arn = newestArn(found.filter(({ Tags = [] }) => Tags.some(isTagOf(environment))));
  if (arn === null) throw notFound(secretId, environment);
  return arn;
}

const isTagOf =
  (environment: string) =>
  ({ Key, Value }: { Key?: string | undefined; Value?: string | undefined }): boolean =>
    Key === SECRET_TAG && Value === environment;

async function listBeginning(client: SecretsManagerClient, beginning: string): Promise<SecretListEntry[]> {
  const Filters = [{ Key: 'name' as const, Values: [beginning] }];
  const all: SecretListEntry[] = [];
  for await (const { SecretList = [] } of paginateListSecrets({ client }, { Filters })) all.push(...SecretList);
  // The filter takes a beginning in another case, or of a word within the name, for one too.
  return all.filter(({ Name = '' }) => Name.startsWith(beginning));
}

/** A source that was removed leaves its secret; one that comes again gets another. */
function newestArn(found: readonly SecretListEntry[]): string | null {
  const at = ({ CreatedDate }: SecretListEntry): number => CreatedDate?.getTime() ?? 0;
  return found.toSorted((a, b) => at(b) - at(a))[0]?.ARN ?? null;
}

function notFound(secretId: string, environment: string): BridgeError {
  return new BridgeError(
    'CredentialsUnreadable',
    `No secret with the tag ${SECRET_TAG} = ${environment} is ${secretId}. A new secret is found after five minutes at ` +
      'most; the next run tries again. If it lasts, deploy the stack with the secrets again.',
    { retryable: true, details: { secretId } },
  );
}
