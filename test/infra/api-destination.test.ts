// API destinations in the template: one promise per test.
import { describe, expect, it } from 'vitest';
import { App } from 'aws-cdk-lib';
import { valueAt } from '../../functions/shared/json.ts';
import { readEnvironments } from '../../infra/settings/settings.ts';
import { refusalOf } from '../support/refusal.ts';
import {
  ACME,
  acrossStacks,
  CONSUMERS,
  DATA,
  onlyEntry,
  onlyResource,
  patternOf,
  resolveText,
  stacksOf,
  templateOf,
} from './synthesized.ts';

const CRM = {
  name: 'crm',
  url: 'https://crm.example/hooks/members?from=bridge',
  detailTypes: ['MemberChanged', 'TagChanged'],
  apiKeyHeader: 'x-api-key',
};
const POSTING = { sources: [ACME], apiDestinations: [CRM] };
const template = templateOf(POSTING, CONSUMERS);

describe('an API destination', () => {
  it('has the address of the settings, and by default 300 requests a second', () => {
    const slow = templateOf({ sources: [ACME], apiDestinations: [{ ...CRM, maxPerSecond: 5 }] }, CONSUMERS);
    const [connectionId] = onlyEntry(template, 'AWS::Events::Connection');

    expect(onlyResource(template, 'AWS::Events::ApiDestination').Properties).toMatchObject({
      ConnectionArn: { 'Fn::GetAtt': [connectionId, 'Arn'] },
      HttpMethod: 'POST',
      InvocationEndpoint: CRM.url,
      InvocationRateLimitPerSecond: 300,
    });
    expect(onlyResource(slow, 'AWS::Events::ApiDestination').Properties['InvocationRateLimitPerSecond']).toBe(5);
  });

  it('receives the events of the settings, retried for a day, with its own dead-letter queue', () => {
    const [destinationId] = onlyEntry(template, 'AWS::Events::ApiDestination');
    const [queueId] = onlyEntry(template, 'AWS::SQS::Queue');
    const [roleId] = onlyEntry(template, 'AWS::IAM::Role');
    const [busId] = onlyEntry(templateOf(POSTING, DATA), 'AWS::Events::EventBus');

    expect(acrossStacks(stacksOf(POSTING), onlyResource(template, 'AWS::Events::Rule').Properties)).toMatchObject({
      EventBusName: { Ref: busId },
      Targets: [
        {
          Arn: { 'Fn::GetAtt': [destinationId, 'Arn'] },
          RoleArn: { 'Fn::GetAtt': [roleId, 'Arn'] },
          DeadLetterConfig: { Arn: { 'Fn::GetAtt': [queueId, 'Arn'] } },
          RetryPolicy: { MaximumRetryAttempts: 185, MaximumEventAgeInSeconds: 86_400 },
        },
      ],
    });
    expect(patternOf(onlyResource(template, 'AWS::Events::Rule'))).toEqual({
      source: ['membership.actionlog', 'membership.bridge'],
      'detail-type': ['MemberChanged', 'TagChanged'],
    });
    expect(onlyResource(template, 'AWS::CloudWatch::Alarm').Properties['AlarmName']).toBe(
      'MembershipBridge crm: dead letters',
    );
  });

  it('has a role that may only post to it', () => {
    const [destinationId] = onlyEntry(template, 'AWS::Events::ApiDestination');
    const { Properties } = onlyResource(template, 'AWS::IAM::Role');

    expect(valueAt(Properties, '/Policies/0/PolicyDocument/Statement')).toEqual([
      {
        Effect: 'Allow',
        Action: 'events:InvokeApiDestination',
        Resource: { 'Fn::GetAtt': [destinationId, 'Arn'] },
      },
    ]);
    expect(JSON.stringify(template)).not.toContain('AWS::IAM::Policy"');
  });

  it('has no key in the template, and an output with the command that sets it', () => {
    const [connectionId, { Properties }] = onlyEntry(template, 'AWS::Events::Connection');
    const fill = template.Outputs['ReceiverCrmKeyFill'];

    // CloudFormation writes the placeholder with every change of the connection.
    expect(fill?.Description).toContain('again after each change of its apiKeyHeader');

    expect(Properties).toMatchObject({
      AuthorizationType: 'API_KEY',
      AuthParameters: { ApiKeyAuthParameters: { ApiKeyName: 'x-api-key', ApiKeyValue: 'not-set' } },
    });
    expect(resolveText(fill?.Value, (id) => id)).toBe(
      `npm run --silent credentials -- --api-key x-api-key | aws events update-connection --region AWS::Region --name ${connectionId} --authorization-type API_KEY --auth-parameters file:///dev/stdin`,
    );
  });

  it('exists only with settings, and changes nothing in other stacks', () => {
    const plain = stacksOf({ sources: [ACME] });

    expect(Object.keys(plain)).toEqual([DATA, 'MembershipBridge']);
    expect(Object.keys(templateOf(POSTING, DATA).Resources)).toEqual(Object.keys(plain[DATA]?.Resources ?? {}));
  });

  it('rejects with every problem of its settings', async () => {
    const wrong = {
      ...CRM,
      name: 'CRM',
      url: 'http://crm.example',
      detailTypes: [],
      apiKeyHeader: 'x api key',
      maxPerSecond: 0,
    };
    const bridge = { sources: [ACME], apiDestinations: [wrong, CRM, { ...CRM, url: 'https://user:pass@crm.example' }] };
    const reading = Promise.resolve().then(() => readEnvironments(new App({ context: { bridge } }).node, Date.now()));

    const { message } = await refusalOf(reading);

    expect(message.split('\n').slice(1)).toEqual([
      expect.stringMatching(/^- apiDestinations\[0\].name: does not have the right form/),
      '- apiDestinations[0].url: is no https address; write an https address',
      '- apiDestinations[0].detailTypes: is empty; write at least one detail type',
      expect.stringMatching(/^- apiDestinations\[0\].apiKeyHeader: does not have the right form/),
      '- apiDestinations[0].maxPerSecond: is 0; write a whole number from 1 to 300',
      '- apiDestinations[2].url: holds a password or a fragment; write an https address',
      expect.stringMatching(/^- apiDestinations\[2\].name: is taken by another receiver/),
    ]);
  });
});
