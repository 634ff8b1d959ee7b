// A small cloud assembly: a table, a bus, a secret, a schedule, and functions given as source text.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export type FixtureFunction = {
  /** The source of a CommonJS module that exports `handler`. */
  code: string;
  timeoutSeconds?: number;
  /** Variables in addition to the names of table and bus, as in a template. */
  environment?: Readonly<Record<string, unknown>>;
  /** The pattern of a rule that delivers to the function. */
  pattern?: object;
  /** Retries of a failed asynchronous invocation. */
  retryAttempts?: number;
  /** The age after which a failed invocation is not retried; by default Lambda's six hours. */
  maximumAgeSeconds?: number;
  /** A queue `<name>-dead` for events that the rule cannot deliver or the function cannot process. */
  deadLetters?: boolean;
  /** Retries of a delivery that the function refuses; by default EventBridge's 185. */
  deliveryAttempts?: number;
  /** The tags of its role. */
  roleTags?: Readonly<Record<string, string>>;
  logging?: { LogFormat: 'JSON' | 'Text'; ApplicationLogLevel?: string };
};

/** Writes the assembly with `more` resources. The first function is the target of the schedule of source "acme". */
export async function writeFixtureAssembly(
  folder: string,
  functions: Record<string, FixtureFunction>,
  more: Readonly<Record<string, object>> = {},
): Promise<string> {
  const names = Object.keys(functions);
  const [first = ''] = names;
  const Resources = Object.assign(
    { ...sharedResources(), Schedule: schedule(first), ...more },
    ...Object.entries(functions).map(([name, definition]) => functionResources(name, definition)),
  ) as object;
  const files = names.map((name) => [
    name,
    { source: { path: `asset.${name}`, packaging: 'zip' }, destinations: { here: { objectKey: `${name}.zip` } } },
  ]);
  await mkdir(folder, { recursive: true });
  const write = async (file: string, content: object): Promise<void> =>
    await writeFile(join(folder, file), JSON.stringify(content));
  await write('manifest.json', {
    artifacts: {
      Fixture: { type: 'aws:cloudformation:stack', properties: { templateFile: 'fixture.template.json' } },
      Assets: { type: 'cdk:asset-manifest', properties: { file: 'fixture.assets.json' } },
    },
  });
  await write('fixture.template.json', { Resources });
  await write('fixture.assets.json', { files: Object.fromEntries(files) });
  for (const [name, { code }] of Object.entries(functions)) {
    await mkdir(join(folder, `asset.${name}`), { recursive: true });
    await writeFile(join(folder, `asset.${name}`, 'index.js'), code);
  }
  return folder;
}

function sharedResources(): object {
  return {
    Table: {
      Type: 'AWS::DynamoDB::Table',
      Properties: {
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'sk', AttributeType: 'S' },
        ],
      },
    },
    Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: 'membership' } },
    Secret: {
      Type: 'AWS::SecretsManager::Secret',
      Properties: { Name: 'Fixture-Secret', SecretString: '{"username":"placeholder"}' },
    },
    Role: { Type: 'AWS::IAM::Role' },
  };
}

function schedule(functionName: string): object {
  return {
    Type: 'AWS::Scheduler::Schedule',
    Properties: {
      ScheduleExpression: 'rate(1 minute)',
      Target: {
        Arn: { Ref: `${functionName}Alias` },
        Input: { 'Fn::Join': ['', ['{"sourceId":"acme","secretId":"', { Ref: 'Secret' }, '"}']] },
      },
    },
  };
}

function functionResources(name: string, definition: FixtureFunction): object {
  const { timeoutSeconds = 5, retryAttempts = 0, deadLetters = false, environment = {}, roleTags = {} } = definition;
  const queueArn = { 'Fn::GetAtt': [`${name}Dead`, 'Arn'] };
  return {
    [name]: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        Code: { S3Bucket: { 'Fn::Sub': 'assets-${AWS::AccountId}' }, S3Key: `${name}.zip` },
        Handler: 'index.handler',
        Timeout: timeoutSeconds,
        LoggingConfig: definition.logging,
        Role: { 'Fn::GetAtt': [`${name}Role`, 'Arn'] },
        MemorySize: 256,
        Environment: { Variables: { TABLE_NAME: { Ref: 'Table' }, BUS_NAME: { Ref: 'Bus' }, ...environment } },
      },
    },
    [`${name}Role`]: {
      Type: 'AWS::IAM::Role',
      Properties: { Tags: Object.entries(roleTags).map(([Key, Value]) => ({ Key, Value })) },
    },
    [`${name}Version`]: { Type: 'AWS::Lambda::Version', Properties: { FunctionName: { Ref: name } } },
    [`${name}Alias`]: {
      Type: 'AWS::Lambda::Alias',
      Properties: {
        FunctionName: { Ref: name },
        FunctionVersion: { 'Fn::GetAtt': [`${name}Version`, 'Version'] },
        Name: 'live',
      },
    },
    [`${name}Retries`]: {
      Type: 'AWS::Lambda::EventInvokeConfig',
      Properties: {
        FunctionName: { Ref: name },
        Qualifier: 'live',
        MaximumRetryAttempts: retryAttempts,
        MaximumEventAgeInSeconds: definition.maximumAgeSeconds,
        ...(deadLetters ? { DestinationConfig: { OnFailure: { Destination: queueArn } } } : {}),
      },
    },
    ...(deadLetters ? { [`${name}Dead`]: queue(`${name}-dead`) } : {}),
    ...(definition.pattern === undefined ? {} : { [`${name}Rule`]: rule(name, definition) }),
  };
}

function rule(name: string, { pattern, deliveryAttempts, deadLetters = false }: FixtureFunction): object {
  const target = {
    Id: 'Target0',
    Arn: { Ref: `${name}Alias` },
    ...(deadLetters ? { DeadLetterConfig: { Arn: { 'Fn::GetAtt': [`${name}Dead`, 'Arn'] } } } : {}),
    ...(deliveryAttempts === undefined ? {} : { RetryPolicy: { MaximumRetryAttempts: deliveryAttempts } }),
  };
  return {
    Type: 'AWS::Events::Rule',
    Properties: { EventBusName: { Ref: 'Bus' }, EventPattern: pattern, Targets: [target] },
  };
}

export function queue(name: string, more: object = {}): object {
  return { Type: 'AWS::SQS::Queue', Properties: { QueueName: name, ...more } };
}
