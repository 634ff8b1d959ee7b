// The sources of a bridge as commands change them: their schedules, and the items of those that commands have added.
import { canonicalJson, type JsonValue } from '../../shared/json.ts';
import { Problem } from '../../shared/problem.ts';
import type { AddedSource, AddedSourceStore, StoredAddedSource } from '../../source/added-sources.ts';
import { scheduleRoleArn } from '../../source/fixed-names.ts';
import type { SourceSchedule } from '../../source/schedules.ts';
import { parseEvery, readSourceSettings, type SourceSettings } from '../../source/settings.ts';
import type { Bridge } from '../bridge/bridge.ts';
import type { OperatorCloud, OperatorSchedules } from '../bridge/ports.ts';
import { readScheduled } from '../bridge/read-bridge.ts';
import { type BridgeOptions, openBridge, type Surroundings } from '../command.ts';

export type Written = Readonly<Record<string, unknown>>;

/** One of the two is not null. */
export type KnownSource = {
  sourceId: string;
  definedBy: 'cdk.json' | 'command';
  settings: Written;
  schedule: SourceSchedule | null;
  stored: StoredAddedSource | null;
};

export type Opened = {
  cloud: OperatorCloud;
  bridge: Bridge;
  schedules: OperatorSchedules;
  items: AddedSourceStore;
  known: KnownSource[];
};

/** For a command that changes sources. Rejects with a Problem where cdk.json or an earlier version forbids it. */
export async function openSources(surroundings: Surroundings, options: BridgeOptions): Promise<Opened> {
  const { cloud, bridge } = await openBridge(surroundings, options);
  if (!bridge.rules.changesByCommand)
    throw new Problem('cdk.json forbids it ("changesByCommand": false). Change the sources there, and deploy.');
  const { added: items } = cloud.openTable(bridge.stateTableName);
  const [{ sources, schedules, hasFormer }, stored] = await Promise.all([readScheduled(cloud, bridge), items.list()]);
  if (hasFormer) throw new Problem(`${bridge.stackName} was deployed by an earlier version. Deploy this one first.`);
  const scheduled = sources.map((one) => ({
    ...one,
    stored: stored.find(({ sourceId }) => sourceId === one.sourceId) ?? null,
  }));
  const missing = stored
    .filter(({ sourceId }) => !scheduled.some((one) => one.sourceId === sourceId))
    .map((one) => ({
      sourceId: one.sourceId,
      definedBy: 'command' as const,
      settings: one.added.settings,
      schedule: null,
      stored: one,
    }));
  return { cloud, bridge, schedules, items, known: [...scheduled, ...missing] };
}

/** Throws a Problem for one that is not there, or is written in cdk.json. */
export function addedNamed({ known }: Opened, sourceId: string): KnownSource {
  const found = known.find((one) => one.sourceId === sourceId);
  if (found?.definedBy === 'command') return found;
  if (found !== undefined) throw new Problem(`${sourceId} is written in cdk.json: change it there, and deploy.`);
  throw new Problem(`There is no source ${sourceId}. There is: ${known.map((one) => one.sourceId).join(', ')}.`);
}

/** The settings, checked as those of cdk.json are. Throws InvalidSettings, or a Problem where there are no ticks. */
export function checkSettings({ bridge }: Opened, written: Written, now: number): SourceSettings {
  const settings = readSourceSettings({ secretId: 'not-yet', ...written }, now);
  if (settings.tickMs === null || bridge.rules.ticks) return settings;
  throw new Problem(
    `${settings.sourceId} is polled within the minute, and ${bridge.stackName} has no ticks. Write "ticks": true into ` +
      'cdk.json and deploy, or poll it every minute: every=PT1M',
  );
}

/** Whether two texts of settings are the same but for the order of their keys. */
export function isSame(left: Written, right: Written): boolean {
  return canonicalJson(left as JsonValue) === canonicalJson(right as JsonValue);
}

/** The schedule that a source has at present, with the names that stay. */
export function toSchedule({ bridge }: Opened, settings: Written, isEnabled = true): SourceSchedule {
  const { sourceId, tickMs } = readSourceSettings(settings);
  const minutes = tickMs === null ? minutesIn(settings) : 1;
  return {
    sourceId,
    isEnabled,
    expression: `rate(${minutes} minute${minutes === 1 ? '' : 's'})`,
    targetArn: bridge.pollerArn,
    roleArn: scheduleRoleArn(bridge.pollerArn, bridge),
    input: JSON.stringify(settings),
  };
}

function minutesIn({ every = 'PT1M' }: Written): number {
  return parseEvery(every as string) / 60_000;
}

/** The item first, by which a schedule that is missing is noticed and made again. Rejects with a Problem. */
export async function writeSource(
  opened: Opened,
  settings: Written,
  { before, at }: { before: KnownSource | null; at: number },
): Promise<void> {
  const schedule = toSchedule(opened, settings, before?.schedule?.isEnabled);
  const { sourceId } = schedule;
  const stored = before?.stored ?? null;
  if (stored === null || stored.added.adopting || !isSame(stored.added.settings, settings)) {
    const added: AddedSource = { version: 1, settings, by: await opened.cloud.readCaller(), at };
    if (!(await opened.items.write(sourceId, added, stored?.token ?? null)))
      throw new Problem(`Somebody else has just changed ${sourceId}. Look at it, and run this again.`);
  }
  await (before?.schedule ? opened.schedules.replace(schedule) : opened.schedules.create(schedule));
}
