// The TypeScript of docs/consuming.md: its handler runs, its stacks are synthesized. `npm run check` compiles it.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ConditionalCheckFailedException, DynamoDBClient, type PutItemCommand } from '@aws-sdk/client-dynamodb';
import { App, Stack } from 'aws-cdk-lib';
import { type IEventBus, Rule } from 'aws-cdk-lib/aws-events';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { deliveredEvent } from '../support/delivered-events.ts';
import { startApi } from '../support/api-world.ts';
import { CONTEXT, fakeTable } from '../support/consumer-world.ts';
import { writeExamples } from '../support/consuming-examples.ts';
import { documentBlocks } from '../support/document-blocks.ts';

const BUS_NAME = { 'Fn::GetStackOutput': { StackName: 'MembershipBridge-Data', OutputName: 'EventBusName' } };
const OURS = { account: '111111111111', region: 'eu-central-1' };
const THEIRS = { account: '222222222222', region: 'eu-central-1' };

const { folder, load, make } = await writeExamples();

// synth.test.ts has CloudFormation's own rules, which take seconds.
beforeEach(() => void vi.stubEnv('CDK_VALIDATION', 'false'));

afterAll(async () => {
  vi.restoreAllMocks();
  // At once: the next file of this worker may make its templates before its first test.
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

describe('the TypeScript of docs/consuming.md', () => {
  it('keeps a change once when its event arrives twice, and rejects other input', async () => {
    const kept = new Set<string | undefined>();
    const put = vi.fn<(command: PutItemCommand) => Promise<void>>(async ({ input }) => {
      const id = input.Item?.['id']?.S;
      if (kept.has(id)) throw new ConditionalCheckFailedException({ message: '', $metadata: {} });
      kept.add(id);
    });
    vi.spyOn(DynamoDBClient.prototype, 'send').mockImplementation(put as never);
    const { handler } = await load<{ handler: (input: unknown) => Promise<void> }>('keep-changes.ts');
    const event = deliveredEvent('MemberChanged', {});

    await handler(event);
    await handler(event);
    await handler(deliveredEvent('TagChanged', { actionKey: 'TagMemberAdded' }));

    expect([...kept]).toEqual([event.detail.metadata.id]);
    expect(put).toHaveBeenCalledTimes(2);
    await expect(handler({ ...event, source: 'other' })).rejects.toMatchObject({ code: 'EventInvalid' });
  });
});

describe('a pattern with null in docs/consuming.md', () => {
  const pattern = { source: ['membership.actionlog'], detail: { metadata: { backfillId: [null] } } };

  it('is text in YAML, as EventBridge takes it', () => {
    const [{ text } = { text: '' }] = documentBlocks('docs/consuming.md', 'yaml');
    const [, eventPattern = ''] = /EventPattern: \|\n([^]*)/.exec(text) ?? [];

    expect(JSON.parse(eventPattern)).toEqual(pattern);
  });

  it('is text in a template of the CDK', async () => {
    const { asText } = await load<{ asText: (rule: Rule) => void }>('null-in-a-pattern.ts');
    const stack = new Stack(new App({ outdir: join(folder, 'out-null') }), 'Null');

    asText(new Rule(stack, 'Rule', { eventPattern: pattern }));

    expect(propertiesOf(stack, 'AWS::Events::Rule')).toMatchObject([{ EventPattern: JSON.stringify(pattern) }]);
  });
});

describe('the consumer of docs/consuming.md that calls an API', () => {
  const event = deliveredEvent('PaymentChanged', { actionKey: 'PaymentCreated' });
  const start = async () => {
    fakeTable();
    const { handler } = await load<{ handler: (...args: unknown[]) => Promise<void> }>(
      'functions/consumers/post-payment/handler.ts',
    );
    return { api: await startApi(), handle: async () => await handler(event, CONTEXT) };
  };

  it('posts each payment once with the key, and takes a reference that is known for done', async () => {
    const { api, handle } = await start();
    api.answerNext({ status: 409 });

    await handle();
    await handle();

    const { id } = event.detail.metadata;
    expect(api.posted).toMatchObject([
      { json: { reference: id }, headers: { 'x-api-key': api.key, 'idempotency-key': id } },
    ]);
  });

  it('keeps what is refused', async () => {
    const { api, handle } = await start();
    api.answerNext({ status: 422 });

    await expect(handle()).rejects.toThrow('answered 422');
  });
});

describe('the stacks of docs/consuming.md', () => {
  it('give another stack its own rule, function and dead-letter queue', async () => {
    const stack = await make('member-changes-stack.ts', 'MemberChangesStack', { env: OURS });

    const [[queue, resource] = []] = resourcesOf(stack, 'AWS::SQS::Queue');
    const Arn = { 'Fn::GetAtt': [queue, 'Arn'] };
    const RetryPolicy = { MaximumRetryAttempts: 185, MaximumEventAgeInSeconds: 86_400 };
    expect(resource?.Properties).toMatchObject({ MessageRetentionPeriod: 1_209_600, SqsManagedSseEnabled: true });
    expect(propertiesOf(stack, 'AWS::Events::Rule')).toMatchObject([
      {
        EventBusName: BUS_NAME,
        EventPattern: { source: ['membership.actionlog'], 'detail-type': ['MemberChanged'] },
        Targets: [{ DeadLetterConfig: { Arn }, RetryPolicy }],
      },
    ]);
    expect(propertiesOf(stack, 'AWS::Lambda::EventInvokeConfig')).toMatchObject([
      { MaximumRetryAttempts: 2, DestinationConfig: { OnFailure: { Destination: Arn } } },
    ]);
    expect(statementsOf(stack, 'AWS::SQS::QueuePolicy')).toContainEqual(mayFillQueue());
  });

  it('share with a bus of another account by a role', async () => {
    const theirBusArn = 'arn:aws:events:eu-central-1:222222222222:event-bus/membership-events';

    const stack = await make('share-money-stack.ts', 'ShareMoneyStack', { env: OURS, theirBusArn });

    const [[role] = []] = resourcesOf(stack, 'AWS::IAM::Role');
    const [[queue] = []] = resourcesOf(stack, 'AWS::SQS::Queue');
    const DeadLetterConfig = { Arn: { 'Fn::GetAtt': [queue, 'Arn'] } };
    expect(propertiesOf(stack, 'AWS::Events::Rule')).toMatchObject([
      {
        EventBusName: BUS_NAME,
        EventPattern: { 'detail-type': ['PaymentChanged', 'DebtChanged', 'DonationChanged'] },
        Targets: [{ Arn: theirBusArn, RoleArn: { 'Fn::GetAtt': [role, 'Arn'] }, DeadLetterConfig }],
      },
    ]);
    expect(statementsOf(stack, 'AWS::IAM::Policy')).toEqual([
      { Effect: 'Allow', Action: 'events:PutEvents', Resource: theirBusArn },
    ]);
    expect(statementsOf(stack, 'AWS::SQS::QueuePolicy')).toContainEqual(mayFillQueue());
  });

  it('grant access to the account of the bridge on the other side', async () => {
    const props = { env: THEIRS, bridgeAccount: OURS.account };

    const stack = await make('membership-events-stack.ts', 'MembershipEventsStack', props);

    expect(propertiesOf(stack, 'AWS::Events::EventBusPolicy')).toMatchObject([
      {
        Statement: {
          Action: 'events:PutEvents',
          Principal: { AWS: { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ':iam::111111111111:root']] } },
          Condition: { StringEquals: { 'events:source': ['membership.actionlog', 'membership.bridge'] } },
        },
      },
    ]);
  });

  it('let another account make rules and change only its own', async () => {
    const props = { env: OURS, theirAccount: THEIRS.account };

    const stack = await make('their-rules-stack.ts', 'TheirRulesStack', props);

    expect(propertiesOf(stack, 'AWS::Events::EventBusPolicy')).toMatchObject([
      {
        EventBusName: BUS_NAME,
        Statement: {
          Action: expect.arrayContaining(['events:PutRule', 'events:PutTargets']),
          Principal: { AWS: 'arn:aws:iam::222222222222:root' },
          Resource: { 'Fn::Join': ['', ['arn:aws:events:eu-central-1:111111111111:rule/', BUS_NAME, '/*']] },
          Condition: { StringEqualsIfExists: { 'events:creatorAccount': '${aws:PrincipalAccount}' } },
        },
      },
    ]);
  });

  it("put a rule of another account on the bridge's bus, with a bus there as target", async () => {
    const busArn = 'arn:aws:events:eu-central-1:111111111111:event-bus/bridge';
    const theirs = await make('membership-events-stack.ts', 'MembershipEventsStack', {
      env: THEIRS,
      bridgeAccount: '1',
    });
    const app = theirs.node.root as App;
    const ourBus = (theirs as Stack & { bus: IEventBus }).bus;

    const stack = await make('our-rule-there-stack.ts', 'OurRuleThereStack', { env: THEIRS, busArn, ourBus }, app);

    const [[role] = []] = resourcesOf(stack, 'AWS::IAM::Role');
    const [rule] = propertiesOf(stack, 'AWS::Events::Rule');
    const [target] = (rule?.['Targets'] ?? []) as { Arn: unknown }[];
    expect(rule).toMatchObject({ EventBusName: busArn, Targets: [{ RoleArn: { 'Fn::GetAtt': [role, 'Arn'] } }] });
    expect(statementsOf(stack, 'AWS::IAM::Policy')).toEqual([
      { Effect: 'Allow', Action: 'events:PutEvents', Resource: target?.Arn },
    ]);
  });
});

type Resource = { Type: string; Properties: Record<string, unknown> };

function resourcesOf(stack: Stack, type: string): [logicalId: string, resource: Resource][] {
  const { template } = (stack.node.root as App).synth().getStackByName(stack.stackName);
  const resources = (template as { Resources: Record<string, Resource> }).Resources;
  return Object.entries(resources).filter(([, { Type }]) => Type === type);
}

function propertiesOf(stack: Stack, type: string): Record<string, unknown>[] {
  return resourcesOf(stack, type).map(([, { Properties }]) => Properties);
}

function statementsOf(stack: Stack, type: string): unknown[] {
  return propertiesOf(stack, type).flatMap(
    ({ PolicyDocument }) => (PolicyDocument as { Statement: unknown[] }).Statement,
  );
}

function mayFillQueue(): unknown {
  const fromRules = { Effect: 'Allow', Principal: { Service: 'events.amazonaws.com' }, Action: 'sqs:SendMessage' };
  return expect.objectContaining(fromRules);
}
