// Where the history lies: in partitions of its own, and until they have expired also where earlier versions put it.
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { HistoryRecord } from '../../../functions/operator/bridge/ports.ts';
import type { Call } from '../../../infra/local/platform/aws-call.ts';
import type { LocalCloud } from '../../../infra/local/cloud/cloud.ts';
import { itemsOf, toJsonItem } from '../../support/kept-version.ts';
import { startOperatedBridge, synthesizeFirst } from '../../support/operated-bridge.ts';
import { operatorOf } from '../../support/operator-commands.ts';

const DAY_MS = 86_400_000;
const LIFE_DAYS = 400;

synthesizeFirst();
afterEach(() => void vi.unstubAllEnvs());

const tableNameOf = ({ definitions }: LocalCloud): string =>
  definitions.tables.find(({ name }) => /StateTable/.test(name))?.name ?? '';

async function startWithHistory() {
  const calls: Call[] = [];
  const cloud = await startOperatedBridge({
    intercept: async (call, proceed) => {
      calls.push(call);
      return await proceed();
    },
  });
  const operate = operatorOf(cloud);
  const history = async (...args: string[]): Promise<HistoryRecord[]> =>
    JSON.parse((await operate('history', ...args, '--json')).out) as HistoryRecord[];
  return { cloud, calls, operate, history };
}

/** What operators did under commit ae6937b, to the bridge and to the source `paused`, which is called acme here. */
async function putKeptRecords(cloud: LocalCloud): Promise<void> {
  for (const item of itemsOf('history').map(toJsonItem)) {
    const pk = { S: item['pk']?.['S'] === 'bridge' ? 'bridge' : 'source#acme' };
    await cloud.call('dynamodb', 'PutItem', { TableName: tableNameOf(cloud), Item: { ...item, pk } });
  }
}

type Items = { Items: Record<string, Record<string, string>>[] };

const storedIn = async (cloud: LocalCloud): Promise<Items['Items']> =>
  ((await cloud.call('dynamodb', 'Scan', { TableName: tableNameOf(cloud) })) as Items).Items;

describe('the history', () => {
  test('is written to partitions of its own, by updates that name no attribute of a state', async () => {
    const { cloud, calls, operate } = await startWithHistory();

    await operate('pause', 'acme', '--yes');
    await operate('pause', 'notifier office', '--yes');

    const records = (await storedIn(cloud)).filter(({ pk }) => pk?.['S']?.startsWith('history#'));
    expect(records.map(({ pk }) => pk?.['S'] ?? '').toSorted()).toEqual(['history#bridge', 'history#source#acme']);
    expect(records.map((item) => Object.keys(item).toSorted())).toEqual(
      Array.from({ length: 2 }, () => ['expiresAt', 'pk', 'record', 'sk']),
    );
    for (const { expiresAt } of records)
      expect(Number(expiresAt?.['N']) * 1_000 - Date.now()).toBeGreaterThan((LIFE_DAYS - 1) * DAY_MS);
    const writes = calls.filter(
      ({ service, operation }) => service === 'dynamodb' && !/^(?:Get|Query)/.test(operation),
    );
    expect(new Set(writes.map(({ operation }) => operation))).toEqual(new Set(['UpdateItem']));
  });

  test('is read from there and from where commit ae6937b put it, newest first', async () => {
    const { cloud, operate, history } = await startWithHistory();
    await putKeptRecords(cloud);
    await operate('pause', 'acme', '--yes');

    const [whole, ofSource, newest] = [
      await history(),
      await history('acme', '--limit', '2'),
      await history('--limit', '1'),
    ];

    expect(whole.map(({ command }) => command)).toEqual([
      'pause acme',
      'notify test office',
      'resume paused',
      'pause paused',
    ]);
    expect(ofSource.map(({ command }) => command)).toEqual(['pause acme', 'resume paused']);
    expect(newest.map(({ command }) => command)).toEqual(['pause acme']);
  });
});
