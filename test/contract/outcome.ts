// Whether a row is tried in a world, and what comes of it: held, not tried and why, or an assumption that does not hold in a real organisation.
import type { Operation } from '../../functions/membership/operation.ts';
import type { Row } from './row.ts';
import { NothingToTry } from './subjects.ts';
import type { World } from './world.ts';

/** Null where the row holds, else why it says nothing. Rejects where what is documented does not hold, and in the local service where anything does not. */
export async function tryRow(world: World, operation: Operation, row: Row): Promise<string | null> {
  if (world.personality !== null) {
    await row.run(world);
    return null;
  }
  const reason = row.localOnly ?? reasonNotToWrite(world, operation);
  if (reason !== null) return reason;
  try {
    await row.run(world);
    return null;
  } catch (error) {
    if (error instanceof NothingToTry) return error.message;
    if (row.assumption === undefined) throw error;
    return `Assumption ${row.assumption} does not hold here: ${(error as Error).message}`;
  }
}

function reasonNotToWrite({ mayWrite }: World, { method, authorization }: Operation): string | null {
  const isWrite = method !== 'GET' && authorization !== 'none';
  return isWrite && !mayWrite ? 'It writes; MEMBERSHIP_WRITE=yes lets it.' : null;
}
