// The topic that tells of alarms: who may publish to it, and who is told.
import { expect, it } from 'vitest';
import { EVERYTHING, onlyEntry, onlyResource, resourcesOf, templateOf } from './synthesized.ts';

const [topicId, topic] = onlyEntry(templateOf(EVERYTHING), 'AWS::SNS::Topic');
const { Statement } = onlyResource(templateOf(EVERYTHING), 'AWS::SNS::TopicPolicy').Properties['PolicyDocument'] as {
  Statement: unknown[];
};

// A policy takes the place of the one that a topic has by default, under which alarms may publish.
it('lets the alarms of this account publish', () => {
  expect(Statement).toContainEqual({
    Sid: 'AlarmsOfThisAccount',
    Effect: 'Allow',
    Principal: { Service: 'cloudwatch.amazonaws.com' },
    Action: 'sns:Publish',
    Resource: { Ref: topicId },
    Condition: {
      StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
      ArnLike: {
        'aws:SourceArn': {
          'Fn::Join': [
            '',
            [
              'arn:',
              { Ref: 'AWS::Partition' },
              ':cloudwatch:',
              { Ref: 'AWS::Region' },
              ':',
              { Ref: 'AWS::AccountId' },
              ':alarm:*',
            ],
          ],
        },
      },
    },
  });
});

it('refuses what does not come over TLS', () => {
  expect(Statement).toContainEqual(
    expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
  );
  expect(Statement).toHaveLength(2);
});

it('has no key, which would keep CloudWatch out', () => {
  expect(topic.Properties).not.toHaveProperty('KmsMasterKeyId');
});

it('mails to the address in the settings, and to nobody without one', () => {
  expect(onlyResource(templateOf(EVERYTHING), 'AWS::SNS::Subscription').Properties).toEqual({
    Protocol: 'email',
    Endpoint: 'ops@example.org',
    TopicArn: { Ref: topicId },
  });
  expect(resourcesOf(templateOf(), 'AWS::SNS::Subscription')).toEqual([]);
  expect(resourcesOf(templateOf(), 'AWS::SNS::Topic')).toHaveLength(1);
});

it('is an output, for those who want to be told otherwise', () => {
  expect(templateOf().Outputs['AlarmTopicArn']?.Value).toEqual({ Ref: topicId });
});
