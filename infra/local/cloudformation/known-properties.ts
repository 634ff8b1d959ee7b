// Which properties of the resources that run here are followed, and which are left aside knowingly. Any other one is refused by its name:
// what a template says is either done or told, never passed over.
import { Unsupported } from '../cloud/unsupported.ts';
import type { Resource } from './template.ts';

type Known = {
  followed: readonly string[];
  /** Without a meaning on one machine: texts for people, permissions, encryption, protection and backup, where logs go. */
  leftAside: readonly string[];
};

const TABLE: Known = {
  followed: ['TableName', 'KeySchema', 'AttributeDefinitions', 'GlobalSecondaryIndexes', 'LocalSecondaryIndexes'],
  leftAside: [
    'BillingMode',
    'DeletionProtectionEnabled',
    'PointInTimeRecoverySpecification',
    'SSESpecification',
    'Tags',
    // Nothing is removed when its time is over. DynamoDB may take days for it too, so that readers have to look at the time anyway.
    'TimeToLiveSpecification',
  ],
};

const KNOWN: Readonly<Record<string, Known>> = {
  'AWS::DynamoDB::Table': TABLE,
  'AWS::DynamoDB::GlobalTable': { ...TABLE, leftAside: [...TABLE.leftAside, 'Replicas'] },
  'AWS::Events::EventBus': {
    followed: ['Name'],
    leftAside: ['Description', 'KmsKeyIdentifier', 'LogConfig', 'Policy', 'Tags'],
  },
  'AWS::Events::Rule': {
    followed: ['Name', 'EventBusName', 'EventPattern', 'ScheduleExpression', 'State', 'Targets'],
    leftAside: ['Description', 'RoleArn', 'Tags'],
  },
  'AWS::KinesisFirehose::DeliveryStream': {
    followed: ['DeliveryStreamName', 'DeliveryStreamType', 'ExtendedS3DestinationConfiguration'],
    leftAside: ['DeliveryStreamEncryptionConfigurationInput', 'Tags'],
  },
  'AWS::Lambda::Alias': { followed: ['FunctionName', 'FunctionVersion', 'Name'], leftAside: ['Description'] },
  'AWS::Lambda::EventInvokeConfig': {
    followed: ['DestinationConfig', 'FunctionName', 'MaximumEventAgeInSeconds', 'MaximumRetryAttempts', 'Qualifier'],
    leftAside: [],
  },
  'AWS::Lambda::EventSourceMapping': {
    followed: [
      'BatchSize',
      'Enabled',
      'EventSourceArn',
      'FunctionName',
      'FunctionResponseTypes',
      'MaximumBatchingWindowInSeconds',
      'ScalingConfig',
    ],
    leftAside: ['Tags'],
  },
  'AWS::Lambda::Function': {
    followed: ['Code', 'Environment', 'FunctionName', 'Handler', 'LoggingConfig', 'MemorySize', 'Timeout'],
    // One processor and one version of Node serve all functions here.
    leftAside: ['Architectures', 'Description', 'KmsKeyArn', 'Role', 'Runtime', 'Tags', 'TracingConfig'],
  },
  'AWS::Lambda::Version': { followed: ['FunctionName'], leftAside: ['CodeSha256', 'Description'] },
  'AWS::Logs::LogGroup': {
    followed: ['LogGroupName'],
    leftAside: ['KmsKeyId', 'LogGroupClass', 'RetentionInDays', 'Tags'],
  },
  'AWS::S3::Bucket': {
    followed: ['BucketName'],
    // Versions are kept whatever is said of them. Nothing is locked: whoever has this machine has its files.
    leftAside: [
      'BucketEncryption',
      'LifecycleConfiguration',
      'ObjectLockConfiguration',
      'ObjectLockEnabled',
      'OwnershipControls',
      'PublicAccessBlockConfiguration',
      'Tags',
      'VersioningConfiguration',
    ],
  },
  'AWS::SQS::Queue': {
    followed: [
      'DelaySeconds',
      'MaximumMessageSize',
      'MessageRetentionPeriod',
      'QueueName',
      'ReceiveMessageWaitTimeSeconds',
      'RedrivePolicy',
      'VisibilityTimeout',
    ],
    leftAside: ['KmsDataKeyReusePeriodSeconds', 'KmsMasterKeyId', 'RedriveAllowPolicy', 'SqsManagedSseEnabled', 'Tags'],
  },
  'AWS::Scheduler::Schedule': {
    followed: ['FlexibleTimeWindow', 'Name', 'ScheduleExpression', 'ScheduleExpressionTimezone', 'State', 'Target'],
    leftAside: ['Description', 'GroupName', 'KmsKeyArn'],
  },
  'AWS::SecretsManager::Secret': {
    followed: ['GenerateSecretString', 'Name', 'SecretString'],
    leftAside: ['Description', 'KmsKeyId', 'Tags'],
  },
};

/** Throws Unsupported for a property that is neither followed nor left aside knowingly. Types that are not listed check their own. */
export function checkProperties({ type, logicalId, properties }: Resource): void {
  const known = KNOWN[type];
  if (known !== undefined) checkMembers(properties, [...known.followed, ...known.leftAside], `${type} (${logicalId})`);
}

/** The same for an object inside a property; `owner` completes "the property X of". */
export function checkMembers(value: object, known: readonly string[], owner: string): void {
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new Unsupported(`the property ${unknown} of ${owner}`, 'cloudformation/known-properties.ts');
}
