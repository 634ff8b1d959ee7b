// A secret of the template, with the value that it begins with.
import { randomBytes } from 'node:crypto';
import type { Resource } from '../cloudformation/template.ts';

type Properties = Record<string, unknown>;

export type SecretDefinition = { name: string; arn: string; initialValue: string; tags?: Tag[] };

export type Tag = { Key: string; Value: string };

export function toSecret({ name, arn, properties }: Resource): SecretDefinition {
  const { SecretString, GenerateSecretString, Tags } = properties;
  const tags = (Tags ?? []) as Tag[];
  if (typeof SecretString === 'string') return { name, arn, tags, initialValue: SecretString };
  const { SecretStringTemplate = '{}', GenerateStringKey, PasswordLength } = (GenerateSecretString ?? {}) as Properties;
  if (typeof GenerateStringKey !== 'string') return { name, arn, tags, initialValue: 'generated' };
  const members = JSON.parse(SecretStringTemplate as string) as Properties;
  const password = typeof PasswordLength === 'number' ? lettersAndDigits(PasswordLength) : 'generated';
  return { name, arn, tags, initialValue: JSON.stringify({ ...members, [GenerateStringKey]: password }) };
}

/** A key is of use only where nobody knows it. */
function lettersAndDigits(length: number): string {
  return randomBytes(length).toString('hex').slice(0, length);
}
