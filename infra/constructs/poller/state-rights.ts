// What a function may do with the state table: in some partitions, and perhaps with few attributes only.
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { ATTRIBUTES, SOURCE_PREFIX, TABLE_KEYS } from '../../../functions/aws/table/state-layout.ts';

/**
 * Limits requests, by partition key and by the attributes that they name, never by sort key: DynamoDB has no such
 * condition. A read has to say which attributes it wants. `partitions`: how their keys begin.
 */
export function allowInSources(
  { tableArn }: ITable,
  actions: string[],
  attributes: readonly (keyof typeof ATTRIBUTES)[] | null = null,
  partitions: string = SOURCE_PREFIX,
): PolicyStatement {
  return allowInPartition({ tableArn }, actions, `${partitions}*`, attributes);
}

/** The same in one partition, or in those whose keys are like `key`. */
export function allowInPartition(
  { tableArn }: Pick<ITable, 'tableArn'>,
  actions: string[],
  key: string,
  attributes: readonly (keyof typeof ATTRIBUTES)[] | null,
): PolicyStatement {
  const { partition, sort } = TABLE_KEYS;
  return new PolicyStatement({
    actions: actions.map((name) => `dynamodb:${name}`),
    resources: [tableArn],
    conditions: {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [key] },
      ...(attributes && {
        'ForAllValues:StringEquals': {
          'dynamodb:Attributes': [partition, sort, ...attributes.map((name) => ATTRIBUTES[name])],
        },
        StringEqualsIfExists: { 'dynamodb:Select': 'SPECIFIC_ATTRIBUTES' },
      }),
    },
  });
}
