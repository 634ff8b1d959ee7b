// In whose name a request changes something.
import type { OperationRequest } from '../http/operations.ts';
import type { Hand } from '../organisation/organisation-changes.ts';

export function handOf({ organisation, user }: OperationRequest): Hand {
  return { organisation, performedBy: user?.name ?? organisation.administrator };
}
