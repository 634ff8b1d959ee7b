// Example bodies, with a personality's names.
import type { Personality } from '../personality/personality.ts';
import { CONTACT } from './record-names.ts';
import { toRecord } from './record-shape.ts';

/** The JSON text that creates a contact of that name. */
export function newContactBody({ records }: Pick<Personality, 'records'>, name: string): string {
  return JSON.stringify(toRecord({ name: CONTACT.name }, records, { name }));
}
