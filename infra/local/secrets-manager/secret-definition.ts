// A secret of the template, with the value that it begins with.
import { randomBytes } from 'node:crypto';
import type { Resource } from '../cloudformation/template.ts';

type Properties = Record<string, unknown>;

export type SecretDefinition = {
  name: string;
  arn: string;
  description: string | null;
  tags: Record<string, string>;
  initialValue: string;
};

export function toSecret({ name, arn, logicalId, stackName, properties }: Resource): SecretDefinition {
  const { Description = null, Tags = [] } = properties as {
    Description?: string;
    Tags?: { Key: string; Value: string }[];
  };
  const ofCloudFormation = { 'aws:cloudformation:stack-name': stackName, 'aws:cloudformation:logical-id': logicalId };
  const tags = { ...Object.fromEntries(Tags.map(({ Key, Value }) => [Key, Value])), ...ofCloudFormation };
  return { name, arn, description: Description, tags, initialValue: toInitialValue(properties) };
}

function toInitialValue({ SecretString, GenerateSecretString }: Properties): string {
  if (typeof SecretString === 'string') return SecretString;
  const { SecretStringTemplate = '{}', GenerateStringKey, PasswordLength } = (GenerateSecretString ?? {}) as Properties;
  if (typeof GenerateStringKey !== 'string') return 'generated';
  const members = JSON.parse(SecretStringTemplate as string) as Properties;
  const password = typeof PasswordLength === 'number' ? lettersAndDigits(PasswordLength) : 'generated';
  return JSON.stringify({ ...members, [GenerateStringKey]: password });
}

/** A key is of use only where nobody knows it. */
function lettersAndDigits(length: number): string {
  return randomBytes(length).toString('hex').slice(0, length);
}
