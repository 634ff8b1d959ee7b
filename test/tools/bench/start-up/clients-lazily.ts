// Like clients-alone.ts with undici loaded on demand, as in the poller.
export {
  BatchWriteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  paginateQuery,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
export { DescribeEventBusCommand, EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
export { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

export const load = async () => await import('undici');
