// The clients that the poller needs and nothing else. The start of the poller's bundle is compared with theirs.
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
export { Pool } from 'undici';
