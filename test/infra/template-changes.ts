// What a deployment changes, and which of it is harm: templates before and after it, compared like `cdk diff`.
import { fullDiff, type ResourceDifference } from '@aws-cdk/cloudformation-diff';
import type { Stacks, Template } from './synthesized.ts';

/** Types with data that no deployment restores. */
export const HOLDS_DATA = [
  'AWS::DynamoDB::Table',
  'AWS::SecretsManager::Secret',
  'AWS::Events::EventBus',
  'AWS::Events::Archive',
  'AWS::SQS::Queue',
  'AWS::SNS::Topic',
  'AWS::S3::Bucket',
];

export type Change = { path: string; type: string; impact: string; difference: ResourceDifference };

/** The changes of a deployment, stack by stack. */
export function changesBetween(before: Stacks, after: Stacks): Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => {
    const changes: Change[] = [];
    fullDiff(before[name] ?? {}, after[name] ?? {}).resources.forEachDifference((logicalId, difference) =>
      changes.push({
        path: `${name}/${logicalId}`,
        type: String(difference.newResourceType ?? difference.oldResourceType),
        impact: difference.changeImpact,
        difference,
      }),
    );
    return changes;
  });
}

/** Changes that remove or replace data, and changes of the properties that set a secret's value. */
export function harmIn(changes: readonly Change[]): string[] {
  const taken = changes
    .filter(({ type, impact }) => HOLDS_DATA.includes(type) && !['WILL_UPDATE', 'WILL_CREATE'].includes(impact))
    .map(({ path, impact }) => `${path}: ${impact}`);
  const overwritten = changes
    .filter(({ type, impact }) => type === 'AWS::SecretsManager::Secret' && impact !== 'WILL_CREATE')
    .flatMap(({ path, difference }) =>
      Object.keys(difference.propertyUpdates)
        .filter((property) => ['SecretString', 'GenerateSecretString'].includes(property))
        .map((property) => `${path}: ${property}`),
    );
  return [...taken, ...overwritten];
}

/** A copy of the templates with one of them edited. */
export function edited(stacks: Stacks, stackName: string, edit: (template: Template) => void): Stacks {
  const copy = structuredClone(stacks);
  const { [stackName]: template } = copy;
  if (template !== undefined) edit(template);
  return copy;
}
