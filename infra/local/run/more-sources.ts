// `--sources`: sources beside that of the template, as `sources add` makes them, with the secret of the first.
import type { AddedSource } from '../../../functions/source/added-sources.ts';
import { ADDED_PARTITION, ATTRIBUTES, TABLE_KEYS } from '../../../functions/aws/table/state-layout.ts';
import { Problem } from '../../../functions/shared/problem.ts';
import type { LocalCloud } from '../cloud/cloud.ts';
import { stateTableOf } from '../cloud/stored.ts';
import { arnIn } from '../secrets-manager/secrets-manager.ts';

type Cloud = Pick<LocalCloud, 'addedSources' | 'call' | 'definitions' | 'place' | 'sources'>;

/** `local-002` and so on, up to `count` sources with the first. */
export function moreSourceIds(first: string, count: number): string[] {
  return Array.from({ length: count - 1 }, (_, index) => `${first}-${String(index + 2).padStart(3, '0')}`);
}

/** Makes the cloud have these sources beside `first`, with its settings, and no others that have names of this kind. */
export async function keepMoreSources(cloud: Cloud, first: string, count: number): Promise<void> {
  const wanted = moreSourceIds(first, count);
  const isOurs = new RegExp(`^${first}-\\d{3}$`);
  const present = cloud.addedSources().flatMap(({ sourceId }) => (isOurs.test(sourceId) ? [sourceId] : []));
  for (const sourceId of present.filter((one) => !wanted.includes(one))) await removeSource(cloud, first, sourceId);
  for (const sourceId of wanted) await putSource(cloud, first, { sourceId, isPresent: present.includes(sourceId) });
}

async function putSource(
  cloud: Cloud,
  first: string,
  { sourceId, isPresent }: { sourceId: string; isPresent: boolean },
): Promise<void> {
  const { schedule, settings } = firstOf(cloud, first);
  const secretId = arnIn(cloud.definitions.secrets, String(settings['secretId']));
  const added: AddedSource = {
    version: 1,
    settings: { ...settings, sourceId, secretId },
    by: `arn:aws:iam::${cloud.place.accountId}:user/npm-start`,
    at: Date.now(),
  };
  // The item first, by which a schedule that is missing is noticed.
  await cloud.call('dynamodb', 'PutItem', {
    TableName: stateTableOf(cloud.definitions),
    Item: { ...keyOf(sourceId), [ATTRIBUTES.record]: { S: JSON.stringify(added) } },
  });
  const Target = { ...(schedule.properties['Target'] as object), Input: JSON.stringify(added.settings) };
  const input = { ...schedule.properties, Name: sourceId, Description: `Polls the action log of ${sourceId}`, Target };
  await cloud.call('scheduler', isPresent ? 'UpdateSchedule' : 'CreateSchedule', input);
}

async function removeSource(cloud: Cloud, first: string, sourceId: string): Promise<void> {
  const { groupName: GroupName } = firstOf(cloud, first).schedule;
  await cloud.call('scheduler', 'DeleteSchedule', { Name: sourceId, GroupName });
  await cloud.call('dynamodb', 'DeleteItem', { TableName: stateTableOf(cloud.definitions), Key: keyOf(sourceId) });
}

function firstOf({ sources, definitions }: Cloud, first: string) {
  const schedule = definitions.schedules.find(({ name }) => name === first);
  const source = sources.find(({ sourceId }) => sourceId === first);
  if (schedule === undefined || source === undefined) throw new Problem(`The template has no schedule ${first}.`);
  return { schedule, settings: source.settings };
}

function keyOf(sourceId: string) {
  return { [TABLE_KEYS.partition]: { S: ADDED_PARTITION }, [TABLE_KEYS.sort]: { S: sourceId } };
}
