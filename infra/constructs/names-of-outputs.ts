// Names of outputs made from ids: outputs may not have hyphens.
import { createHash } from 'node:crypto';

/** `acme` becomes `Acme`; `ac-me` becomes `AcMe` plus four digits that distinguish it from `acMe`. */
export function inNames(id: string): string {
  const words = id.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  if (words.length === 1) return words.join('');
  return words.join('') + createHash('sha256').update(id).digest('hex').slice(0, 4);
}
