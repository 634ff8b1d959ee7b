// In whose name a request changes something.
import type { OperationRequest } from '../operations.ts';
import type { Hand } from '../organisation-changes.ts';

export function handOf({ organisation, user }: OperationRequest): Hand {
  return { organisation, performedBy: user?.name ?? organisation.administrator };
}
