// Example bodies, with a personality's names.
import type { Personality } from '../personality/personality.ts';
import type { Operation } from '../../../functions/membership/operation.ts';
import type { JsonObject } from '../../../functions/shared/json.ts';
import { CONTACT, DEBT, DONATION, PAYMENT, TAG, TAG_MEMBERS } from './record-names.ts';
import type { RecordStyle } from '../personality/personality.ts';
import { toRecord } from './record-shape.ts';

/** The JSON text that creates a contact of that name. */
export function newContactBody({ records }: Pick<Personality, 'records'>, name: string): string {
  return JSON.stringify(toRecord({ name: CONTACT.name }, records, { name }));
}

const BOOKS = { payments: PAYMENT, debts: DEBT, donations: DONATION };

/** A body that the operation takes, about that contact; null where it takes none. */
export function exampleBody(
  { resource, path, body }: Pick<Operation, 'resource' | 'path' | 'body'>,
  style: RecordStyle,
  contactId: string,
): JsonObject | null {
  if (body === null) return null;
  if (path.endsWith('Members')) return toRecord(TAG_MEMBERS, style, { memberIds: [contactId] });
  if (resource === 'tags') return toRecord({ name: TAG.name }, style, { name: 'Newsletter' });
  if (resource in BOOKS) {
    const { contactId: contact, amount, currency } = BOOKS[resource as keyof typeof BOOKS];
    const shape = { contactId: contact, amount, currency };
    return toRecord(shape, style, { contactId, amount: 25, currency: 'EUR' });
  }
  const { name, email } = CONTACT;
  return toRecord({ name, email }, style, { name: 'Ayşe Yılmaz', email: 'ayse@example.org' });
}
