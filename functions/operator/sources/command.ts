// `sources`: the sources of a bridge, with their settings.
import type { Command } from 'commander';
import type { BridgeSource } from '../bridge/bridge.ts';
import { readSources } from '../bridge/read-bridge.ts';
import { type BridgeOptions, bridgeCommand, openBridge, type Surroundings } from '../command.ts';
import { durationText } from '../terminal/time-texts.ts';

export function sourcesCommand(surroundings: Surroundings): Command {
  return bridgeCommand('sources', 'Lists the sources of the bridge with their settings.', [
    'sources',
    'sources --json',
  ]).action(async (options: BridgeOptions) => {
    const { output } = surroundings;
    const { cloud, bridge } = await openBridge(surroundings, options);
    const sources = await readSources(cloud, bridge);
    if (options.json) return output.json(sources);
    output.table(['SOURCE', 'POLLED', 'SERVICE'], sources.map(toRow));
  });
}

function toRow({ sourceId, isScheduled, everyMinutes, settings }: BridgeSource): string[] {
  const { every = `every ${durationText(everyMinutes * 60_000)}`, baseUrl, timeZone } = settings;
  return [sourceId, isScheduled ? String(every) : 'switched off', `${String(baseUrl)}  ${String(timeZone)}`];
}
