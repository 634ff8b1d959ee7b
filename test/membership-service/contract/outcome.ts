// The outcome of a row in a world: it holds, it is skipped for a reason, or its assumption does not hold.
import type { Operation } from '../../../functions/membership/operation.ts';
import { printableLines } from '../../../functions/shared/printable.ts';
import type { Row } from './row.ts';
import { NothingToTry } from './subjects.ts';
import type { World } from './world.ts';

/**
 * Null if the row holds, else why it is skipped. Rejects if documented behaviour does not hold; in the local service
 * also if an assumption does not hold.
 */
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
    return `Assumption ${row.assumption} does not hold here: ${printableLines((error as Error).message)}`;
  }
}

/** The service calls a free organisation the development sandbox (Assumption A32). */
const WRITES =
  'It writes. Set MEMBERSHIP_WRITE=yes to allow that, best with MEMBERSHIP_ORGANISATION_ID of a free organisation.';

function reasonNotToWrite({ mayWrite }: World, { method, authorization }: Operation): string | null {
  const isWrite = method !== 'GET' && authorization !== 'none';
  return isWrite && !mayWrite ? WRITES : null;
}
