// The channels of the notifier, from the file beside its code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHANNELS_FILE } from '../../../functions/consumers/notifier/code-layout.ts';
import type { WrittenChannel } from '../../../functions/consumers/notifier/config.ts';
import type { Definitions } from './definitions.ts';

/** What a local run needs of a channel. */
export type LocalChannel = Pick<WrittenChannel, 'name' | 'kind' | 'detailTypes'> & { secretId: string };

/** The channels of all functions, read from the file beside their code. A secret is named after the channel's queue. */
export function readChannels(
  { functions }: Pick<Definitions, 'functions'>,
  assetFolder: (assetKey: string) => string,
): LocalChannel[] {
  return functions.flatMap(({ environment: { NOTIFIER_QUEUES: queues }, assetKey }) => {
    if (queues === undefined) return [];
    const written = JSON.parse(readFileSync(join(assetFolder(assetKey), CHANNELS_FILE), 'utf8')) as WrittenChannel[];
    const names = queues.split(',');
    return written.map(({ name, kind, detailTypes = [] }, index) => ({
      name,
      kind,
      detailTypes,
      secretId: names[index] ?? '',
    }));
  });
}
