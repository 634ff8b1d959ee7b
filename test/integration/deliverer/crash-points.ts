// Calls of DynamoDB that fail where a test wants it, as if the function was killed there.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

export type Crash = { call: number; when: 'before' | 'after' };

const READ = /\.(?:Query|GetItem|BatchGetItem)$/;

/** Counts the calls from `begin` on. At the call that `crash` names, and at each one after it, the function is dead. */
export function crashAt({ config: { requestHandler } }: DynamoDBClient) {
  let [calls, crash, wasRead]: [number, Crash | null, boolean] = [0, null, false];
  const handle = requestHandler.handle.bind(requestHandler);
  requestHandler.handle = async (...given) => {
    calls += 1;
    const call = calls;
    const isHere = crash !== null && call === crash.call;
    if (isHere) wasRead = READ.test(given[0].headers['x-amz-target'] ?? '');
    if (crash !== null && (call > crash.call || (isHere && crash.when === 'before'))) throw new Error('killed before');
    const answer = await handle(...given);
    if (isHere) throw new Error('killed after');
    return answer;
  };
  return {
    begin(next: Crash | null) {
      [calls, crash] = [0, next];
    },
    /** Whether the function was killed. */
    wasReached: () => crash !== null && calls >= crash.call,
    /** Whether it was killed at a call that changes nothing: before and after it are the same. */
    wasRead: () => wasRead,
  };
}
