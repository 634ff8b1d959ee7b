// What every call of a table has: its failure as the bridge's error, and the condition of a write that does not hold.
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { BridgeError } from '../../shared/errors.ts';
import { TABLE_ADVICE, toBridgeError } from '../sdk-failure.ts';

/** Rejects with StateUnavailable if the call fails. `doing` is the subject of its sentence. */
export async function orUnavailable<Result>(doing: string, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof BridgeError) throw error;
    throw toBridgeError('StateUnavailable', error, { doing, advice: TABLE_ADVICE });
  }
}

/** Resolves to false if the condition of a write does not hold. */
export async function isDone(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
