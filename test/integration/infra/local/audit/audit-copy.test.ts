// The path of the audit copy on one machine: from the bus through a rule into a stream, and into objects.
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type LocalCloud, startLocalCloud } from '../../../../../infra/local/cloud/cloud.ts';
import type { LocalCloudOptions } from '../../../../../infra/local/cloud/cloud-options.ts';
import { queue, writeFixtureAssembly } from '../../../../support/fixture-assembly.ts';
import { clientOptions, startFixtureCloud } from '../../../../support/fixture-cloud.ts';
import { startCloudToKill } from '../../../../support/killed-cloud.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';
import { until } from '../../../../support/until.ts';

const QUIET = { worker: { code: 'exports.handler = async () => null;' } };

const resources = {
  Bucket: { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'audit' } },
  Stream: {
    Type: 'AWS::KinesisFirehose::DeliveryStream',
    Properties: {
      DeliveryStreamName: 'copy',
      ExtendedS3DestinationConfiguration: {
        BucketARN: { 'Fn::GetAtt': ['Bucket', 'Arn'] },
        BufferingHints: { IntervalInSeconds: 60, SizeInMBs: 1 },
        CompressionFormat: 'GZIP',
        Prefix: 'events/',
        ProcessingConfiguration: { Enabled: true, Processors: [{ Type: 'AppendDelimiterToRecord' }] },
      },
    },
  },
  Dead: queue('copy-dead'),
  CopyRule: {
    Type: 'AWS::Events::Rule',
    Properties: {
      EventBusName: { Ref: 'Bus' },
      EventPattern: { source: [{ prefix: 'membership.' }] },
      Targets: [
        {
          Id: 'Target0',
          Arn: { 'Fn::GetAtt': ['Stream', 'Arn'] },
          RoleArn: 'arn:role',
          DeadLetterConfig: { Arn: { 'Fn::GetAtt': ['Dead', 'Arn'] } },
        },
      ],
    },
  },
};

const start = async (options: Partial<LocalCloudOptions> = {}): Promise<LocalCloud> =>
  await startFixtureCloud(QUIET, { resources, ...options });

const entry = (Detail = '{"text":"é"}') => ({
  EventBusName: 'membership',
  Source: 'membership.actionlog',
  DetailType: 'MemberChanged',
  Detail,
});

async function put(cloud: Pick<LocalCloud, 'endpointUrl' | 'accessKeyId'>, ...entries: object[]): Promise<string[]> {
  const client = new EventBridgeClient(clientOptions(cloud));
  const { Entries = [] } = await client.send(new PutEventsCommand({ Entries: entries }));
  return Entries.map(({ EventId }) => String(EventId));
}

/** The lines of all objects of the copy. */
function copied({ services }: LocalCloud): string[] {
  const objects = services.s3.resources;
  return objects.list('audit', 'events/').flatMap(({ key }) =>
    gunzipSync(objects.get('audit', key) ?? '')
      .toString('utf8')
      .split('\n')
      .slice(0, -1),
  );
}

const buffered = ({ services }: LocalCloud): string[] =>
  services.firehose.resources.all().flatMap((stream) => stream.buffered());

describe('the audit copy', () => {
  test('has an event immediately in its buffer, and later in an object, exactly as a Lambda receives it', async () => {
    const cloud = await start({ minuteMs: 400 });

    await put(cloud, entry(), entry('{"text":"two"}'));
    const before = buffered(cloud);
    await until(() => copied(cloud).length === 2);

    expect(before).toHaveLength(2);
    expect(copied(cloud)).toEqual([...cloud.services.eventbridge.resources.events()].map(({ text }) => text));
    expect(buffered(cloud)).toEqual([]);
  });

  test('accepts the largest event that the bus accepts', async () => {
    const cloud = await start();

    await put(cloud, entry(JSON.stringify({ text: 'x'.repeat(999_900) })));
    await put(cloud, entry());

    expect(buffered(cloud)).toHaveLength(2);
    expect(cloud.services.sqs.resources.depth('copy-dead')).toBe(0);
  });

  test('has every accepted event after everything is killed', async () => {
    const folder = await temporaryFolder();
    const assemblyFolder = await writeFixtureAssembly(join(folder, 'assembly'), QUIET, resources);
    const stateFolder = join(folder, 'state');
    const options = { assemblyFolder, stateFolder, everyMs: null, minuteMs: 60 };
    const { child, cloud: running } = await startCloudToKill(options);
    const accepted: string[] = [];
    const publishing = (async () => {
      for (;;) {
        accepted.push(...(await put(running, entry(), entry())));
        if (accepted.length === 200) child.kill('SIGKILL');
      }
    })();
    await expect(publishing).rejects.toThrow();

    const cloud = await startLocalCloud(options);
    onTestFinished(async () => await cloud.close());
    await until(() => buffered(cloud).length === 0);

    const ids = copied(cloud).map((line) => (JSON.parse(line) as { id: string }).id);
    expect(accepted.filter((id) => !ids.includes(id))).toEqual([]);
    expect(ids.filter((id, index) => ids.indexOf(id) < index)).toEqual([]);
  });

  test('is complete when the run ends, and continues at the next start', async () => {
    const stateFolder = await temporaryFolder();
    const first = await start({ stateFolder });
    await put(first, entry());
    await first.close();

    const second = await start({ stateFolder });

    expect(copied(second)).toEqual([...second.services.eventbridge.resources.events()].map(({ text }) => text));
    expect(buffered(second)).toEqual([]);
  });
});
