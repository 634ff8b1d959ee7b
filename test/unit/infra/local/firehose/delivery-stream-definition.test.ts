import { describe, expect, test } from 'vitest';
import { readDefinitions } from '../../../../../infra/local/cloud/definitions.ts';
import { readStacks } from '../../../../../infra/local/cloudformation/template.ts';

const DESTINATION = {
  BucketARN: { 'Fn::GetAtt': ['Bucket', 'Arn'] },
  BufferingHints: { IntervalInSeconds: 60, SizeInMBs: 2 },
  CompressionFormat: 'GZIP',
  Prefix: 'events/',
  ProcessingConfiguration: { Enabled: true, Processors: [{ Type: 'AppendDelimiterToRecord' }] },
  RoleARN: 'arn:role',
};

function definitionsWith(destination: object, stream: object = {}) {
  const Resources = {
    Bucket: { Type: 'AWS::S3::Bucket' },
    Stream: {
      Type: 'AWS::KinesisFirehose::DeliveryStream',
      Properties: { ExtendedS3DestinationConfiguration: { ...DESTINATION, ...destination }, ...stream },
    },
    Rule: {
      Type: 'AWS::Events::Rule',
      Properties: { EventPattern: {}, Targets: [{ Id: 'T', Arn: { 'Fn::GetAtt': ['Stream', 'Arn'] } }] },
    },
  };
  return readDefinitions(readStacks([{ name: 'Bridge', template: { Resources } }]));
}

describe('a stream in a template', () => {
  test('is read with its bucket, whose name is in lower case, and its limits', () => {
    const { streams, buckets, rules } = definitionsWith({});

    expect(streams).toEqual([
      {
        name: 'Bridge-Stream',
        arn: 'arn:aws:firehose:eu-central-1:123456789012:deliverystream/Bridge-Stream',
        bucketName: 'bridge-bucket',
        prefix: 'events/',
        bufferMs: 60_000,
        bufferBytes: 2 * 1024 * 1024,
      },
    ]);
    expect(buckets).toEqual([{ name: 'bridge-bucket', arn: 'arn:aws:s3:::bridge-bucket' }]);
    expect(rules[0]?.targets[0]?.destination).toEqual({ kind: 'stream', name: 'Bridge-Stream' });
  });

  test("has Firehose's limits by default", () => {
    const { streams } = definitionsWith({ BufferingHints: undefined });

    expect(streams).toMatchObject([{ bufferMs: 300_000, bufferBytes: 5 * 1024 * 1024 }]);
  });

  test.each([
    ['a stream without gzip', { CompressionFormat: 'UNCOMPRESSED' }, {}],
    ['the computed prefix', { Prefix: 'events/!{timestamp:yyyy}/' }, {}],
    ['which must be the line break alone', { ProcessingConfiguration: undefined }, {}],
    [
      'which must be the line break alone',
      { ProcessingConfiguration: { Enabled: true, Processors: [{ Type: 'Lambda' }] } },
      {},
    ],
    ['the property DynamicPartitioningConfiguration', { DynamicPartitioningConfiguration: {} }, {}],
    ['it is not a bucket', { BucketARN: 'arn:aws:s3:::elsewhere' }, {}],
    ['the type KinesisStreamAsSource', {}, { DeliveryStreamType: 'KinesisStreamAsSource' }],
    ['the property S3DestinationConfiguration', {}, { S3DestinationConfiguration: {} }],
  ])('is refused for %s', (problem, destination, stream) => {
    expect(() => definitionsWith(destination, stream)).toThrow(new RegExp(problem));
  });
});
