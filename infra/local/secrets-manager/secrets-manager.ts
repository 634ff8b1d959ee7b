// Secrets Manager, in memory: only secrets of consumers outlive it, in a file of the state folder.
import { randomBytes, randomUUID } from 'node:crypto';
import { stackSecretIn } from '../../../functions/source/fixed-names.ts';
import { AwsRefusal, type Operation } from '../platform/aws-call.ts';
import { jsonOperations, type LocalService, NOTHING_TO_CLOSE } from '../platform/service.ts';
import type { SecretDefinition, Tag } from './secret-definition.ts';
import { LOCAL_PLACE, type Place } from '../cloudformation/template.ts';
import type { KeptSecrets } from './kept-secrets.ts';

type Version = { id: string; value: string; stages: string[]; createdAt: number };
type VersionChoice = { VersionId?: string; VersionStage?: string };
type Secret = { name: string; arn: string; versions: Version[]; tags?: Tag[] };
/** The answer to whoever writes a secret. */
type Written = { ARN: string; Name: string; VersionId: string; VersionStages: string[] };

const CURRENT = 'AWSCURRENT';
const PREVIOUS = 'AWSPREVIOUS';

type Surroundings = {
  place?: Place;
  /** Called with the name of a secret when somebody asks for it in vain, once for each. */
  onMissing?: ((name: string) => void) | undefined;
  /** Those of earlier runs, and of this one. */
  kept?: Pick<KeptSecrets, 'values' | 'onWritten'> | undefined;
};

export function createSecretsManager(
  definitions: readonly SecretDefinition[],
  { place = LOCAL_PLACE, onMissing, kept }: Surroundings = {},
): Record<string, Operation> {
  const secrets = definitions.map(({ name, arn, initialValue, tags = [] }): Secret => {
    const secret = { name, arn, tags, versions: [] };
    putSecretValue(secret, { SecretString: kept?.values.get(name) ?? initialValue });
    return secret;
  });
  for (const [Name, SecretString] of kept?.values ?? [])
    if (!secrets.some(({ name }) => name === Name)) createSecret(secrets, place, { Name, SecretString });
  const reported = new Set<string>();
  const find = ({ SecretId: id }: Record<string, unknown>): Secret => {
    const wanted = nameOf(String(id));
    const secret = secrets.find(({ name, arn }) => id === name || id === arn || wanted === name);
    if (secret !== undefined) return secret;
    if (!reported.has(wanted)) onMissing?.(wanted);
    reported.add(wanted);
    throw new AwsRefusal('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
  };
  /** Keeps the version that is current after a write. */
  const noted = <Answer>(answer: Answer, input: Record<string, unknown>): Answer => {
    const secret = find({ SecretId: input['SecretId'] ?? input['Name'] });
    const current = secret.versions.find(({ stages }) => stages.includes(CURRENT));
    if (current !== undefined) kept?.onWritten(secret.name, current.value);
    return answer;
  };
  return {
    CreateSecret: (input) => noted(createSecret(secrets, place, input), input),
    GetSecretValue: (input) => getSecretValue(find(input), input),
    PutSecretValue: (input) => noted(putSecretValue(find(input), input), input),
    UpdateSecretVersionStage: (input) => noted(moveStage(find(input), input), input),
    ListSecrets: (input) => listSecrets(secrets, input),
    DescribeSecret: (input) => describeSecret(find(input)),
  };
}

type World = {
  definitions: { secrets: readonly SecretDefinition[] };
  place: Place;
  onMissingSecret?: (name: string) => void;
  keptSecrets?: KeptSecrets;
};

/** Secrets Manager as the local cloud opens it. */
export function secretsmanagerService(world: World): LocalService<readonly SecretDefinition[]> {
  const { definitions, place, onMissingSecret: onMissing, keptSecrets: kept } = world;
  const operations = createSecretsManager(definitions.secrets, { place, onMissing, kept });
  return { operations: jsonOperations(operations), resources: definitions.secrets, close: NOTHING_TO_CLOSE };
}

/** The ARN of the secret that settings name: of a template by stack and logical id, others by name or ARN. */
export function arnIn(definitions: readonly SecretDefinition[], secretId: string): string {
  const named = stackSecretIn(secretId);
  const isMeant = ({ name }: SecretDefinition): boolean => named !== null && name.startsWith(`${named.logicalId}-`);
  return definitions.find(isMeant)?.arn ?? secretId;
}

/** The name in an ARN, of whatever account: the one on AWS names its secret here too. */
export function nameOf(id: string): string {
  return /^arn:.*?:secret:(.+)-\w{6}$/.exec(id)?.[1] ?? id;
}

function createSecret(secrets: Secret[], place: Place, { Name: name, ...input }: Record<string, unknown>): Written {
  if (typeof name !== 'string' || !/^[\w/+=.@-]{1,512}$/.test(name))
    throw new AwsRefusal('InvalidParameterException', 'Invalid name. Must be a valid name of 1 to 512 characters.');
  if (secrets.some((secret) => secret.name === name))
    throw new AwsRefusal('ResourceExistsException', `The operation failed because the secret ${name} already exists.`);
  const { partition, region, accountId } = place;
  const suffix = randomBytes(3).toString('hex');
  const arn = `arn:${partition}:secretsmanager:${region}:${accountId}:secret:${name}-${suffix}`;
  const secret: Secret = { name, arn, versions: [] };
  const made = putSecretValue(secret, input);
  secrets.push(secret);
  return made;
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

function putSecretValue(secret: Secret, input: Record<string, unknown>): Written {
  const { SecretString: value, ClientRequestToken: token = randomUUID(), VersionStages: stages } = input;
  if (typeof value !== 'string') throw new AwsRefusal('InvalidParameterException', 'You must provide SecretString.');
  const known = secret.versions.find(({ id }) => id === token);
  if (known !== undefined && known.value !== value)
    throw new AwsRefusal('ResourceExistsException', 'A version with this ClientRequestToken and another value exists.');
  const version = known ?? { id: String(token), value, stages: [], createdAt: Date.now() };
  if (known === undefined) secret.versions.unshift(version);
  for (const stage of (stages as string[] | undefined) ?? [CURRENT]) giveStage(secret, stage, version);
  dropUnlabelled(secret);
  return { ARN: secret.arn, Name: secret.name, VersionId: version.id, VersionStages: version.stages };
}

/** The version that had it loses it; with AWSCURRENT it becomes the previous one. */
function giveStage(secret: Secret, stage: string, version: Version): void {
  const before = secret.versions.find(({ stages }) => stages.includes(stage));
  if (before === version) return;
  if (before !== undefined) takeStage(before, stage);
  version.stages.push(stage);
  if (stage === CURRENT && before !== undefined) giveStage(secret, PREVIOUS, before);
}

function takeStage(version: Version, stage: string): void {
  version.stages = version.stages.filter((one) => one !== stage);
}

/** Versions without a stage may be removed at any time. */
function dropUnlabelled(secret: Secret): void {
  secret.versions = secret.versions.filter(({ stages }) => stages.length > 0);
}

function moveStage(secret: Secret, input: Record<string, unknown>): unknown {
  const { VersionStage: stage, MoveToVersionId: to, RemoveFromVersionId: from } = input;
  const holder = secret.versions.find(({ stages }) => stages.includes(String(stage)));
  if (holder !== undefined && holder.id !== from)
    throw new AwsRefusal('InvalidParameterException', `The staging label ${String(stage)} is on another version.`);
  const target = to === undefined ? null : secret.versions.find(({ id }) => id === to);
  if (target === undefined)
    throw new AwsRefusal('ResourceNotFoundException', "Secrets Manager can't find the specified secret version.");
  if (target === null && stage === CURRENT)
    throw new AwsRefusal('InvalidParameterException', 'You can only move staging label AWSCURRENT.');
  if (target !== null) giveStage(secret, String(stage), target);
  else if (holder !== undefined) takeStage(holder, String(stage));
  dropUnlabelled(secret);
  return { ARN: secret.arn, Name: secret.name };
}

/** Only names can be filtered, by how they begin. */
function listSecrets(secrets: readonly Secret[], { Filters = [] }: Record<string, unknown>): unknown {
  const beginnings = (Filters as { Values: string[] }[]).flatMap(({ Values }) => Values);
  const found = secrets.filter(({ name }) => beginnings.every((one) => name.startsWith(one)));
  return { SecretList: found.map(({ arn, name, tags = [] }) => ({ ARN: arn, Name: name, Tags: tags })) };
}

function describeSecret({ arn, name, versions }: Secret): unknown {
  return {
    ARN: arn,
    Name: name,
    VersionIdsToStages: Object.fromEntries(versions.map(({ id, stages }) => [id, stages])),
  };
}
