// Ids with hyphens in the names of outputs, which have none.
import { createHash } from 'node:crypto';

/** `acme` becomes `Acme`; `ac-me` becomes `AcMe` and a few digits that no other id has. */
export function inNames(id: string): string {
  const words = id.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  if (words.length === 1) return words.join('');
  return words.join('') + createHash('sha256').update(id).digest('hex').slice(0, 4);
}
