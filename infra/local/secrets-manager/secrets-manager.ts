// Secrets Manager, in memory only: secrets are never written to disk.
import { randomUUID } from 'node:crypto';
import { AwsRefusal, type Operation } from '../cloud/aws-call.ts';
import type { SecretDefinition } from '../cloudformation/resources.ts';

type Version = { id: string; value: string; stages: string[]; createdAt: number };
type VersionChoice = { VersionId?: string; VersionStage?: string };
type Secret = { name: string; arn: string; versions: Version[] };

const CURRENT = 'AWSCURRENT';
const PREVIOUS = 'AWSPREVIOUS';

export function createSecretsManager(definitions: readonly SecretDefinition[]): Record<string, Operation> {
  const secrets = definitions.map(({ name, arn, initialValue }): Secret => {
    const secret = { name, arn, versions: [] };
    addVersion(secret, randomUUID(), initialValue);
    return secret;
  });
  return {
    GetSecretValue: (input) => getSecretValue(findSecret(secrets, input), input),
    PutSecretValue: (input) => putSecretValue(findSecret(secrets, input), input),
    DescribeSecret: (input) => describeSecret(findSecret(secrets, input)),
  };
}

function findSecret(secrets: readonly Secret[], { SecretId: id }: Record<string, unknown>): Secret {
  const secret = secrets.find(({ name, arn }) => id === name || id === arn);
  if (secret === undefined)
    throw new AwsRefusal('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
  return secret;
}

function getSecretValue(secret: Secret, input: Record<string, unknown>): unknown {
  const { VersionId: id, VersionStage: stage = id === undefined ? CURRENT : undefined } = input as VersionChoice;
  const version = secret.versions.find(
    (version) => (id === undefined || version.id === id) && (stage === undefined || version.stages.includes(stage)),
  );
  if (version === undefined)
    throw new AwsRefusal(
      'ResourceNotFoundException',
      `Secrets Manager can't find the specified secret value for ${stage === undefined ? `VersionId: ${id}` : `staging label: ${stage}`}`,
    );
  return {
    ARN: secret.arn,
    Name: secret.name,
    VersionId: version.id,
    SecretString: version.value,
    VersionStages: version.stages,
    CreatedDate: version.createdAt / 1000,
  };
}

function putSecretValue(secret: Secret, input: Record<string, unknown>): unknown {
  const { SecretString: value, ClientRequestToken: token = randomUUID() } = input;
  if (typeof value !== 'string') throw new AwsRefusal('InvalidParameterException', 'You must provide SecretString.');
  const known = secret.versions.find(({ id }) => id === token);
  if (known !== undefined && known.value !== value)
    throw new AwsRefusal('ResourceExistsException', 'A version with this ClientRequestToken and another value exists.');
  const version = known ?? addVersion(secret, String(token), value);
  return { ARN: secret.arn, Name: secret.name, VersionId: version.id, VersionStages: version.stages };
}

/** The new version becomes current and the one before it previous. Older ones have no stage and are removed. */
function addVersion(secret: Secret, id: string, value: string): Version {
  const version = { id, value, stages: [CURRENT], createdAt: Date.now() };
  const before = secret.versions.find(({ stages }) => stages.includes(CURRENT));
  secret.versions = before === undefined ? [version] : [version, { ...before, stages: [PREVIOUS] }];
  return version;
}

function describeSecret({ arn, name, versions }: Secret): unknown {
  return {
    ARN: arn,
    Name: name,
    VersionIdsToStages: Object.fromEntries(versions.map(({ id, stages }) => [id, stages])),
  };
}
