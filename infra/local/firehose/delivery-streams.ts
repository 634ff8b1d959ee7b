// The streams of the template, by ARN and by name.
import { join } from 'node:path';
import { DeliveryStream } from './delivery-stream.ts';
import type { DeliveryStreamDefinition } from './delivery-stream-definition.ts';
import { MINUTE_MS } from '../platform/platform-clock.ts';
import type { ObjectStore } from '../s3/object-store.ts';

export type LocalStreams = {
  find: (matches: (definition: DeliveryStreamDefinition) => boolean) => DeliveryStream | undefined;
  all: () => readonly DeliveryStream[];
  /** The age of a stream's oldest record in platform seconds; null without records. */
  ageSeconds: (streamName: string) => number | null;
  /** Continues what earlier runs left. */
  resume: () => void;
  /** Writes what is buffered, so that all of it can be seen after a run. */
  close: () => void;
};

/** Firehose's limit of a record. */
export const MAX_RECORD_BYTES = 1_024_000;

/** Opens the streams in `folder`; `minuteMs` is the length of a platform minute here. */
export function openDeliveryStreams(
  folder: string,
  definitions: readonly DeliveryStreamDefinition[],
  { objects, minuteMs = MINUTE_MS }: { objects: ObjectStore; minuteMs?: number | undefined },
): LocalStreams {
  const streams = definitions.map(
    (definition) =>
      new DeliveryStream({
        definition,
        folder: join(folder, definition.name),
        write: (key, bytes) => objects.put(definition.bucketName, key, bytes),
        bufferMs: (definition.bufferMs / MINUTE_MS) * minuteMs,
      }),
  );
  const find: LocalStreams['find'] = (matches) => streams.find(({ definition }) => matches(definition));
  return {
    find,
    all: () => streams,
    ageSeconds: (streamName) => {
      const age = find(({ name }) => name === streamName)?.age() ?? null;
      return age === null ? null : (age / minuteMs) * (MINUTE_MS / 1000);
    },
    resume: () => {
      for (const stream of streams) stream.resume();
    },
    close: () => {
      for (const stream of streams) {
        stream.flush();
        stream.close();
      }
    },
  };
}
