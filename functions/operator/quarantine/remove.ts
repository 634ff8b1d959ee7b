// `quarantine remove`: takes entries out that nobody needs there any more. What was taken out stays in the history.
import { type Command } from 'commander';
import { oversizeKey } from '../../audit/bucket-layout.ts';
import { Problem } from '../../shared/problem.ts';
import type { QuarantineListing } from '../../source/ports.ts';
import type { Bridge } from '../bridge/bridge.ts';
import type { OperatorCloud } from '../bridge/ports.ts';
import { readSources } from '../bridge/read-bridge.ts';
import { carryOut, type ChangeOptions, changing } from '../change.ts';
import { type BridgeOptions, bridgeCommand, openBridge, sourceNamed, type Surroundings } from '../command.ts';
import { counted, secondOf } from '../terminal/text-layout.ts';
import { entriesNamed, isOversize } from './entries.ts';

/** The history names each of them. */
const MAX_REMOVED = 20;

export function removeCommand(surroundings: Surroundings): Command {
  const text = 'Removes entries from quarantine for good, such as those that are too large for the bus.';
  return changing(bridgeCommand('remove', text, ['quarantine remove acme 7fb8b432-…']))
    .argument('<source>', 'the source')
    .argument('<events...>', `up to ${MAX_REMOVED}, as \`quarantine list\` shows them`)
    .action(async (sourceId: string, eventIds: string[], options: BridgeOptions & ChangeOptions) => {
      if (eventIds.length > MAX_REMOVED) throw new Problem(`Name at most ${MAX_REMOVED} entries.`);
      const { cloud, bridge } = await openBridge(surroundings, options);
      sourceNamed(await readSources(cloud, bridge), sourceId);
      const table = cloud.openTable(bridge.stateTableName);
      const asked = entriesNamed(eventIds, await table.listQuarantine(sourceId), sourceId);
      const fates = await Promise.all(asked.map(async (one) => await fateOf(one, cloud, bridge)));
      const what = counted(asked.length, 'entry', 'entries');
      await carryOut(
        surroundings,
        { cloud, bridge },
        {
          command: `quarantine remove ${sourceId} ${asked.map(({ eventId }) => eventId).join(' ')}`,
          sourceId,
          plan: [`${what} of ${sourceId} ${asked.length === 1 ? 'is' : 'are'} removed from quarantine:`, ...fates],
          undo: 'not possible. `quarantine show` prints an entry whole, to keep it elsewhere first.',
          run: async () => {
            for (const { eventId } of asked) await table.deleteQuarantined(sourceId, eventId);
            const removed = asked.map((one) => `${one.eventId} (${one.reason}, ${secondOf(one.quarantinedAt)})`);
            return `Removed from quarantine of ${sourceId}: ${removed.join(', ')}.`;
          },
        },
        options,
      );
    });
}

/** What nobody has any more afterwards. */
async function fateOf(entry: QuarantineListing, cloud: OperatorCloud, { auditBucketName }: Bridge): Promise<string> {
  const { sourceId, eventId, reason } = entry;
  if (!isOversize(entry))
    return `${eventId}, which the bus refused (${reason}): it was never published. To publish it: membership-bridge quarantine redrive ${sourceId} ${eventId}`;
  const published = `${eventId}, which is too large for the bus: it was published without data.`;
  if (auditBucketName === null) return `${published} The bridge has its data nowhere else.`;
  for await (const { key } of cloud.openAuditCopy(auditBucketName).list(oversizeKey(sourceId, eventId)))
    return `${published} The audit copy has it whole: ${key}`;
  return `${published} The audit copy does not have its data (yet), and could not get it any more.`;
}
