// Reads what `status` reports.
import { inParallel } from '../../shared/in-parallel.ts';
import type { Bridge, BridgeConsumer, BridgeSource } from '../bridge/bridge.ts';
import type { OperatorCloud, OperatorTable } from '../bridge/ports.ts';
import { type Known, orUnknown, readAlarms, readConsumers, readSources } from '../bridge/read-bridge.ts';
import { countMade } from '../destinations/opened.ts';
import {
  type BridgeStatus,
  type ConsumerStatus,
  overallVerdict,
  type SourceStatus,
  type StoredSource,
  toSourceStatus,
} from './status.ts';

const PARALLEL = 5;

/** `pick` chooses among the sources. What is not allowed is named, and everything else is read. */
export async function readStatus(
  cloud: OperatorCloud,
  bridge: Bridge,
  { pick, now }: { pick: (sources: readonly BridgeSource[]) => readonly BridgeSource[]; now: number },
): Promise<BridgeStatus> {
  const [sources, alarms] = await Promise.all([
    orUnknown(readSources(cloud, bridge)),
    orUnknown(readAlarms(cloud, bridge)),
  ]);
  const consumers = 'value' in alarms ? await orUnknown(readConsumers(cloud, bridge, alarms.value)) : alarms;
  const letters = await countLetters(cloud, 'value' in consumers ? consumers.value : []);
  const made = await orUnknown(countMade(cloud, bridge));
  const table = cloud.openTable(bridge.stateTableName);
  const statuses = await inParallel('value' in sources ? pick(sources.value) : [], PARALLEL, async (source) =>
    readSource(table, source, now),
  );
  const parts = {
    sources: statuses,
    consumers: letters.map(({ consumer, count }) => toConsumerStatus(consumer, count)),
    alarms: ('value' in alarms ? alarms.value : []).filter(({ state }) => state === 'ALARM').map(toFiring),
    destinationsByCommand: 'value' in made ? made.value : null,
    unknown: unknownIn([sources, alarms, consumers, made, ...letters.map(({ count }) => count)]),
  };
  const { stackName, region, accountId } = bridge;
  const at = new Date(now).toISOString();
  return { stack: stackName, region, accountId, at, verdict: overallVerdict(parts), ...parts };
}

async function countLetters(
  cloud: Pick<OperatorCloud, 'countMessages'>,
  consumers: readonly BridgeConsumer[],
): Promise<{ consumer: BridgeConsumer; count: Known<number> }[]> {
  return await inParallel(consumers, PARALLEL, async (consumer) => ({
    consumer,
    count: await orUnknown(cloud.countMessages(consumer.deadLettersArn)),
  }));
}

async function readSource(table: OperatorTable, source: BridgeSource, now: number): Promise<SourceStatus> {
  const { sourceId } = source;
  const [stored, quarantine] = await Promise.all([
    orUnknown(readStored(table, sourceId)),
    orUnknown(table.listQuarantine(sourceId)),
  ]);
  const quarantined = 'value' in quarantine ? quarantine.value.length : null;
  const unknown = unknownIn([stored, quarantine]);
  return toSourceStatus(source, 'value' in stored ? stored.value : null, quarantined, { unknown, now });
}

async function readStored(table: OperatorTable, sourceId: string): Promise<StoredSource> {
  const [stored, backfills] = await Promise.all([table.read(sourceId), table.backfills.read(sourceId)]);
  const hasDeferred = (stored?.state.deferredLevels.length ?? 0) > 0;
  const pause = stored === null ? await table.readPause(sourceId) : (stored.pause ?? null);
  return { stored, pause, deferred: hasDeferred ? await table.readDeferred(sourceId) : null, backfills };
}

function toConsumerStatus({ name, rule, targetArn, mapping }: BridgeConsumer, count: Known<number>): ConsumerStatus {
  const [, functionName = null] = /:lambda:.*:function:([^:]+)/.exec(mapping?.functionArn ?? targetArn ?? '') ?? [];
  return {
    name,
    deadLetters: 'value' in count ? count.value : null,
    state: mapping?.isEnabled === false ? 'paused' : 'running',
    reachedBy: mapping === null ? (rule === null ? 'none' : 'rule') : 'queue',
    functionName,
  };
}

function toFiring({ name, reason }: { name: string; reason: string }): BridgeStatus['alarms'][number] {
  return { name, reason };
}

function unknownIn(readings: readonly Known<unknown>[]): string[] {
  return [...new Set(readings.flatMap((reading) => ('unknown' in reading ? [reading.unknown] : [])))];
}
