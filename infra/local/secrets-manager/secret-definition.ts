// A secret of the template, with the value that it begins with.
import type { Resource } from '../cloudformation/template.ts';

type Properties = Record<string, unknown>;

export type SecretDefinition = { name: string; arn: string; initialValue: string };

export function toSecret({ name, arn, properties }: Resource): SecretDefinition {
  const { SecretString, GenerateSecretString } = properties;
  if (typeof SecretString === 'string') return { name, arn, initialValue: SecretString };
  const { SecretStringTemplate = '{}', GenerateStringKey } = (GenerateSecretString ?? {}) as Properties;
  if (typeof GenerateStringKey !== 'string') return { name, arn, initialValue: 'generated' };
  const members = JSON.parse(SecretStringTemplate as string) as Properties;
  return { name, arn, initialValue: JSON.stringify({ ...members, [GenerateStringKey]: 'generated' }) };
}
