// I5: no password or token anywhere; continuations in the cursor only; member data in events and quarantine only.
import { BridgeError } from '../../../functions/shared/errors.ts';
import { CONTINUATION_MARK, MEMBER_MARK, SECRET_MARK } from '../secrets.ts';
import type { Violation } from './violation.ts';

/** Where a text was found. `state` includes the deferred sweeps; `item` is any other item of the table. */
export type Place = 'log' | 'error' | 'result' | 'event' | 'notice' | 'state' | 'item';

const FORBIDDEN: Readonly<Record<Place, readonly string[]>> = {
  log: [SECRET_MARK, CONTINUATION_MARK, MEMBER_MARK],
  error: [SECRET_MARK, CONTINUATION_MARK, MEMBER_MARK],
  result: [SECRET_MARK, CONTINUATION_MARK, MEMBER_MARK],
  notice: [SECRET_MARK, CONTINUATION_MARK, MEMBER_MARK],
  event: [SECRET_MARK, CONTINUATION_MARK],
  item: [SECRET_MARK, CONTINUATION_MARK],
  state: [SECRET_MARK, MEMBER_MARK],
};

export function checkNoSecret(place: Place, text: string): Violation[] {
  const found = FORBIDDEN[place].find((mark) => text.includes(mark));
  return found === undefined ? [] : [{ invariant: 'I5 no secret', what: `${found} in a text of ${place}` }];
}

/** All that an error tells, its causes included. */
export function textOfError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const details = error instanceof BridgeError ? JSON.stringify(error.details) : '';
  const cause = error.cause === undefined ? '' : textOfError(error.cause);
  return [error.message, error.stack, details, cause].join('\n');
}
