// Firehose as the local cloud opens it: rules write to its streams, and nobody calls it.
import { join } from 'node:path';
import type { LocalService } from '../platform/service.ts';
import type { ObjectStore } from '../s3/object-store.ts';
import type { DeliveryStreamDefinition } from './delivery-stream-definition.ts';
import { type LocalStreams, openDeliveryStreams } from './delivery-streams.ts';

type World = {
  stateFolder: string;
  minuteMs?: number;
  definitions: { streams: readonly DeliveryStreamDefinition[] };
};

export function firehoseService(
  { stateFolder, minuteMs, definitions }: World,
  { s3 }: { s3: LocalService<ObjectStore> },
): LocalService<LocalStreams> {
  const streams = openDeliveryStreams(join(stateFolder, 'streams'), definitions.streams, {
    objects: s3.resources,
    minuteMs,
  });
  return { operations: {}, resources: streams, resume: streams.resume, close: streams.close };
}
