// An event on the bus of a bridge in a test, as the poller puts it there.
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { expect } from 'vitest';
import { sampleEvent } from '../../functions/events/index.ts';
import type { LocalCloud } from '../../infra/local/cloud/cloud.ts';

/** Publishes the sample by the poller's role, and returns its id. */
export async function publishSample(
  cloud: LocalCloud,
  detailType: 'MemberChanged' | 'PaymentChanged',
): Promise<string> {
  const { detail } = sampleEvent(detailType, { detail: { metadata: { observedAt: new Date().toISOString() } } });
  const poller = cloud.services.lambda.resources.names.find((name) => name.endsWith('-poller')) ?? '';
  const client = new EventBridgeClient({
    endpoint: cloud.endpointUrl,
    region: cloud.place.region,
    credentials: { accessKeyId: cloud.accessKeyId, secretAccessKey: 'local', sessionToken: poller },
  });
  const EventBusName = cloud.definitions.buses[0]?.name;
  const Entries = [
    { EventBusName, Source: 'membership.actionlog', DetailType: detailType, Detail: JSON.stringify(detail) },
  ];
  const { Entries: answers } = await client.send(new PutEventsCommand({ Entries }));
  expect(answers?.[0]?.ErrorCode).toBeUndefined();
  return detail.metadata.id;
}
