// The secret of a source of cdk.json: CloudFormation makes its name, so it is found by the tags that the stack has
// given it.
import { paginateListSecrets, type SecretListEntry, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { BridgeError } from '../../shared/errors.ts';
import { bridgeOf, LOGICAL_ID_TAG, SECRET_TAG, stackSecretIn } from '../../source/fixed-names.ts';
import { toBridgeError } from '../sdk-failure.ts';

type Named = { client: SecretsManagerClient; secretId: string };

/** The ARN of what `secretOfStack` names; any other name or ARN as it is. Rejects with CredentialsUnreadable. */
export async function secretArnOf({ client, secretId }: Named): Promise<string> {
  const named = stackSecretIn(secretId);
  if (named === null) return secretId;
  const { stackName, logicalId } = named;
  const environment = bridgeOf(stackName);
  const tags = { [SECRET_TAG]: environment, [LOGICAL_ID_TAG]: logicalId };
  const found = await listTagged(client, tags).catch((error: unknown) => {
    throw toBridgeError('CredentialsUnreadable', error, {
      doing: `Looking up the secret ${secretId}`,
      advice: 'Check that the function has the right secretsmanager:ListSecrets.',
      details: { secretId },
    });
  });
  const arn = newestArn(found);
  if (arn === null) throw notFound(secretId, environment);
  return arn;
}

async function listTagged(
  client: SecretsManagerClient,
  tags: Readonly<Record<string, string>>,
): Promise<SecretListEntry[]> {
  const Filters = [
    { Key: 'tag-key' as const, Values: [LOGICAL_ID_TAG] },
    { Key: 'tag-value' as const, Values: [tags[LOGICAL_ID_TAG] ?? ''] },
  ];
  const all: SecretListEntry[] = [];
  for await (const { SecretList = [] } of paginateListSecrets({ client }, { Filters })) all.push(...SecretList);
  // The filters take a beginning, and a value of any tag.
  const isTagged = ({ Tags = [] }: SecretListEntry, [key, value]: [string, string]): boolean =>
    Tags.some(({ Key, Value }) => Key === key && Value === value);
  return all.filter((secret) => Object.entries(tags).every((tag) => isTagged(secret, tag)));
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
