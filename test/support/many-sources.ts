// Sources as commands add them, by the hundred: their schedules, items and states are copied from one that was polled.
import { gunzipSync, gzipSync } from 'node:zlib';
import { initialState, type SourceState } from '../../functions/source/state.ts';
import type { LocalCloud } from '../../infra/local/cloud/cloud.ts';

type Item = Record<string, { S?: string; B?: string; N?: string }>;
type Schedule = { Target: { Arn: string; RoleArn: string; Input: string }; GroupName: string };

/** `club-001` and on. `change` alters the state of some; null: it never ran. */
export async function addMany(
  cloud: LocalCloud,
  {
    like,
    group,
    count,
    change = () => ({}),
  }: { like: string; group: string; count: number; change?: (index: number) => Partial<SourceState> | null },
): Promise<string[]> {
  const TableName = cloud.definitions.tables.find(({ name }) => /StateTable/.test(name))?.name ?? '';
  const stateKey = (sourceId: string): Item => ({ pk: { S: `source#${sourceId}` }, sk: { S: 'state' } });
  const { Item: whole = {} } = (await cloud.call('dynamodb', 'GetItem', { TableName, Key: stateKey(like) })) as {
    Item?: Item;
  };
  const { body, ...others } = whole;
  const packed = body?.B;
  const state =
    packed === undefined
      ? initialState(Date.now())
      : (JSON.parse(gunzipSync(Buffer.from(packed, 'base64')).toString()) as SourceState);
  const { Target } = (await cloud.call('scheduler', 'GetSchedule', { Name: like, GroupName: group })) as Schedule;
  const names = Array.from({ length: count }, (_, index) => `club-${String(index + 1).padStart(3, '0')}`);
  for (const [index, sourceId] of names.entries()) {
    const settings = { ...(JSON.parse(Target.Input) as object), sourceId, secretId: `${group}/${sourceId}` };
    const record = JSON.stringify({ version: 1, settings, by: 'a test', at: 0 });
    const put = async (item: Item): Promise<void> =>
      void (await cloud.call('dynamodb', 'PutItem', { TableName, Item: item }));
    await put({ pk: { S: 'sources' }, sk: { S: sourceId }, record: { S: record } });
    const changed = change(index);
    if (changed !== null) {
      const text = JSON.stringify({ ...state, ...changed });
      await put({ ...others, ...stateKey(sourceId), body: { B: gzipSync(text).toString('base64') } });
    }
    await cloud.call('scheduler', 'CreateSchedule', {
      Name: sourceId,
      GroupName: group,
      ScheduleExpression: 'rate(1 minute)',
      FlexibleTimeWindow: { Mode: 'OFF' },
      Target: { ...Target, Input: JSON.stringify(settings) },
    });
  }
  return names;
}
