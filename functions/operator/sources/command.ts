// `sources`: the sources of a bridge, with their settings.
import { Command } from 'commander';
import type { BridgeSource } from '../bridge/bridge.ts';
import { readSources } from '../bridge/read-bridge.ts';
import { type BridgeOptions, bridgeCommand, openBridge, type Surroundings } from '../command.ts';
import { addCommand } from './add.ts';
import { removeCommand, repairCommand, setCommand } from './change.ts';
import { purgeCommand } from './purge.ts';
import { durationText } from '../terminal/time-texts.ts';

export function sourcesCommand(surroundings: Surroundings): Command {
  return new Command('sources')
    .description('The sources of the bridge. Without another word, lists them.')
    .addCommand(listCommand(surroundings), { isDefault: true })
    .addCommand(addCommand(surroundings))
    .addCommand(setCommand(surroundings))
    .addCommand(removeCommand(surroundings))
    .addCommand(repairCommand(surroundings))
    .addCommand(purgeCommand(surroundings));
}

function listCommand(surroundings: Surroundings): Command {
  return bridgeCommand('list', 'Lists the sources of the bridge with their settings.', [
    'sources',
    'sources --json',
  ]).action(async (options: BridgeOptions) => {
    const { output } = surroundings;
    const { cloud, bridge } = await openBridge(surroundings, options);
    const sources = await readSources(cloud, bridge);
    if (options.json) return output.json(sources);
    output.table(['SOURCE', 'BY', 'POLLED', 'SERVICE'], sources.map(toRow));
  });
}

function toRow({ sourceId, definedBy, isScheduled, everyMinutes, settings }: BridgeSource): string[] {
  const { every = `every ${durationText(everyMinutes * 60_000)}`, baseUrl, timeZone } = settings;
  return [sourceId, definedBy, isScheduled ? String(every) : 'switched off', `${String(baseUrl)}  ${String(timeZone)}`];
}
