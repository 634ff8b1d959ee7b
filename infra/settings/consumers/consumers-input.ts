// The consumers in cdk.json: which run, and what is set for each, by the name of its folder.
import * as z from 'zod/mini';
import { objectInput, textInput } from '../../../functions/shared/checked-input.ts';
import type { ConsumerDefinition } from '../../../functions/consumers/definition.ts';
import type { JsonObject } from '../../../functions/shared/json.ts';
import { CONSUMERS_FOLDER, checkSecret, type FoundConsumer, grantsInput, limits } from './consumer-folders.ts';

/** A consumer as the stack builds it. */
export type DeployedConsumer = {
  name: string;
  description: string;
  eventPattern: JsonObject;
  timeoutSeconds: number;
  memoryMb: number;
  /** Secrets aside. */
  environment: Readonly<Record<string, string>>;
  /** Names or ARNs by variable. */
  secrets: Readonly<Record<string, string>>;
  /** What each secret holds that the stack makes, by variable. */
  madeSecrets: Readonly<Record<string, string>>;
  /** ARNs by IAM action. */
  grants: Readonly<Record<string, string[]>>;
};

const DEFAULTS = { timeoutSeconds: 10, memoryMb: 256 };

/** `true`, `false` or what is set, by the names of folders. Its output has those that run. */
export function consumersInput(found: readonly FoundConsumer[]) {
  const shape = Object.fromEntries(found.map((consumer) => [consumer.name, consumerInput(consumer)]));
  return z.pipe(
    objectInput(shape),
    z.transform((consumers): DeployedConsumer[] => Object.values(consumers).filter((one) => one !== undefined)),
  );
}

function consumerInput(found: FoundConsumer) {
  const { environment = {}, enabled = true } = found.definition;
  // One that the stack makes is not set unless cdk.json names another.
  const secrets = Object.fromEntries(
    Object.entries(found.definition.secrets ?? {}).map(([name, secret]) => [name, isMade(secret) ? '' : secret]),
  );
  const overrides = objectInput(
    {
      timeoutSeconds: z.optional(limits.timeoutSeconds),
      memoryMb: z.optional(limits.memoryMb),
      environment: variablesInput(found.name, environment, 'its value'),
      secrets: variablesInput(found.name, secrets, 'the name or ARN of the secret', checkSecret),
      grants: z.optional(grantsInput),
    },
    { or: 'true, false or ' },
  );
  const deployed = z.pipe(
    overrides,
    z.transform((set) => toDeployed(found, set)),
  );
  const switched = z.transform((written: unknown) => (written === true ? {} : written === false ? undefined : written));
  return z.prefault(z.pipe(switched, z.optional(deployed)), enabled);
}

/** Takes the variables of consumer.ts and no others. Those that it leaves to cdk.json are required. */
function variablesInput(
  name: string,
  variables: Readonly<Record<string, string | null>>,
  what: string,
  check?: (text: string) => void,
) {
  const shape = Object.entries(variables).map(([variable, value]) => {
    const input = textInput(`${what}, for which ${CONSUMERS_FOLDER}/${name}/consumer.ts asks`, check);
    return [variable, value === null ? input : z._default(input, value)] as const;
  });
  return z.prefault(objectInput(Object.fromEntries(shape)), {});
}

type Overrides = Partial<Pick<DeployedConsumer, 'timeoutSeconds' | 'memoryMb' | 'grants'>> &
  Pick<DeployedConsumer, 'environment' | 'secrets'>;

type Secret = NonNullable<ConsumerDefinition['secrets']>[string];

function isMade(secret: Secret): secret is Exclude<Secret, string | null> {
  return typeof secret === 'object' && secret !== null;
}

function toDeployed({ name, definition, eventPattern }: FoundConsumer, set: Overrides): DeployedConsumer {
  const { description, timeoutSeconds, memoryMb, grants = {} } = definition;
  const made = Object.entries(definition.secrets ?? {}).flatMap(([variable, secret]): [string, string][] =>
    isMade(secret) && set.secrets[variable] === '' ? [[variable, secret.holds]] : [],
  );
  const isSet = ([, value]: [string, string]): boolean => value !== '';
  return {
    name,
    description,
    eventPattern,
    timeoutSeconds: set.timeoutSeconds ?? timeoutSeconds ?? DEFAULTS.timeoutSeconds,
    memoryMb: set.memoryMb ?? memoryMb ?? DEFAULTS.memoryMb,
    environment: Object.fromEntries(Object.entries(set.environment).filter(isSet)),
    secrets: Object.fromEntries(Object.entries(set.secrets).filter(isSet)),
    madeSecrets: Object.fromEntries(made),
    grants: { ...grants, ...set.grants },
  };
}
