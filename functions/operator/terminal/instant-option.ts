// Options that are instants.
import { InvalidArgumentError } from 'commander';

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

/** Ms since 1970 of an ISO 8601 instant with its offset. */
export function readInstant(text: string): number {
  const at = INSTANT.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(at)) return at;
  throw new InvalidArgumentError('Write an instant with its offset, such as 2026-11-20T09:00:00Z.');
}
