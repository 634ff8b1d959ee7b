// A table of the template.
import type { Resource } from '../cloudformation/template.ts';

export type TableDefinition = { name: string; createTable: Record<string, unknown> };

export function toTable({ name, properties }: Resource): TableDefinition {
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes, LocalSecondaryIndexes } = properties;
  const keys = { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes, LocalSecondaryIndexes };
  return { name, createTable: { TableName: name, BillingMode: 'PAY_PER_REQUEST', ...keys } };
}
