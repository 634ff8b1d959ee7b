// The author of the changes that a request makes.
import type { OperationRequest } from '../http/operations.ts';
import type { Author } from '../changes/organisation-changes.ts';

export function authorOf({ organisation, user }: OperationRequest): Author {
  return { organisation, performedBy: user?.name ?? organisation.administrator };
}
