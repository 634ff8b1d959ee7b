// Changes the stored state of a source directly in the table, for example to simulate that time has passed.
import { toStateBody } from '../../functions/aws/table/state-body.ts';
import { ATTRIBUTES, partitionOf, STATE_SORT_KEY, TABLE_KEYS } from '../../functions/aws/table/state-layout.ts';
import type { SourceState } from '../../functions/source/state.ts';
import { stateTableOf } from '../../infra/local/cloud/stored.ts';
import type { World } from './world.ts';

/** A source in a table. */
export type StoredSource = Pick<World, 'sourceId' | 'stored'> & { cloud: Pick<World['cloud'], 'call' | 'definitions'> };

/** Replaces the state by the result of `change`, with one item update. */
export async function rewriteState(world: StoredSource, change: (state: SourceState) => SourceState): Promise<void> {
  const { state } = await world.stored();
  if (state === null) throw new Error('The source has no state yet.');
  await world.cloud.call('dynamodb', 'UpdateItem', {
    ...itemOf(world),
    UpdateExpression: 'SET #body = :body',
    ExpressionAttributeNames: { '#body': ATTRIBUTES.body },
    ExpressionAttributeValues: { ':body': { B: Buffer.from(toStateBody(change(state))).toString('base64') } },
  });
}

/** Ends the back-off of a failure, as time would. */
export async function endPause(world: StoredSource): Promise<void> {
  await rewriteState(world, (state) => ({
    ...state,
    notBefore: state.notBefore && { ...state.notBefore, at: Date.now() - 1 },
  }));
}

/** Makes the next run the first one of the source. */
export async function forgetState(world: StoredSource): Promise<void> {
  await world.cloud.call('dynamodb', 'DeleteItem', itemOf(world));
}

function itemOf({ cloud, sourceId }: StoredSource) {
  const Key = { [TABLE_KEYS.partition]: { S: partitionOf(sourceId) }, [TABLE_KEYS.sort]: { S: STATE_SORT_KEY } };
  return { TableName: stateTableOf(cloud.definitions), Key };
}
