// The streams of the template, by ARN and by name.
import { join } from 'node:path';
import { DeliveryStream } from './delivery-stream.ts';
import type { DeliveryStreamDefinition } from './delivery-stream-definition.ts';
import { MINUTE_MS } from '../cloud/platform-clock.ts';
import type { ObjectStore } from '../s3/object-store.ts';

export type LocalStreams = {
  find: (matches: (definition: DeliveryStreamDefinition) => boolean) => DeliveryStream | undefined;
  all: () => readonly DeliveryStream[];
  /** How long the oldest record of a stream has waited, in seconds of the platform; null where none waits. */
  ageSeconds: (streamName: string) => number | null;
  /** Goes on with what earlier runs have left. */
  resume: () => void;
  /** Writes what is buffered: whoever ends a run wants to look at all of it. */
  close: () => void;
};

/** What Firehose takes as one record. */
export const LARGEST_RECORD_BYTES = 1_024_000;

/** Opens the streams in `folder`; `minuteMs` is how long a minute of the platform lasts here. */
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
