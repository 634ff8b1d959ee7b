// The topic of the alarms: who may publish to it, and who is notified.
import { expect, it } from 'vitest';
import { DATA, EVERYTHING, onlyEntry, onlyResource, resourcesOf, templateOf } from './synthesized.ts';

const [topicId, topic] = onlyEntry(templateOf(EVERYTHING, DATA), 'AWS::SNS::Topic');
const { Statement } = onlyResource(templateOf(EVERYTHING, DATA), 'AWS::SNS::TopicPolicy').Properties[
  'PolicyDocument'
] as {
  Statement: unknown[];
};

// A policy replaces a topic's default policy, which lets alarms publish.
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

it('has no key, because CloudWatch could not use it', () => {
  expect(topic.Properties).not.toHaveProperty('KmsMasterKeyId');
});

it('mails to the address of the settings, and to nobody without one', () => {
  expect(onlyResource(templateOf(EVERYTHING, DATA), 'AWS::SNS::Subscription').Properties).toEqual({
    Protocol: 'email',
    Endpoint: 'ops@example.org',
    TopicArn: { Ref: topicId },
  });
  expect(resourcesOf(templateOf(undefined, DATA), 'AWS::SNS::Subscription')).toEqual([]);
  expect(resourcesOf(templateOf(undefined, DATA), 'AWS::SNS::Topic')).toHaveLength(1);
});

it('is an output, for other kinds of subscriptions', () => {
  expect(templateOf(undefined, DATA).Outputs['AlarmTopicArn']?.Value).toEqual({ Ref: topicId });
});

// A condition would keep EventBridge from delivering.
it('lets rules publish, without a condition: the mail of a source in trouble', () => {
  expect(Statement).toContainEqual({
    Sid: 'Rules',
    Effect: 'Allow',
    Principal: { Service: 'events.amazonaws.com' },
    Action: 'sns:Publish',
    Resource: { Ref: topicId },
  });
});
