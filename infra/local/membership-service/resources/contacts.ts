// Contacts and members. Their payloads are not shown in the interface document: every field is invented.
import { enveloped, Refused, type Answer } from '../answers.ts';
import { optionalText, readJsonBody, requiredText } from '../json-body.ts';
import type { Context, Operation, OperationRequest } from '../operations.ts';
import { createContact } from '../organisation-changes.ts';

const path = '/organisations/{organisationId}/contacts';

export const contactOperations: readonly Operation[] = [
  { method: 'GET', path, answer: listContacts },
  { method: 'POST', path, answer: addContact },
];

const DEFAULT_PAGE_SIZE = 25;

function listContacts({ query }: OperationRequest, { state }: Context): Answer {
  const offset = wholeNumber(query, 'offset') ?? 0;
  const pageSize = wholeNumber(query, 'pageSize') ?? DEFAULT_PAGE_SIZE;
  const name = nameInQ(query.get('q'));
  const found = [...state.organisation.contacts.values()].filter((contact) =>
    contact.name.toLowerCase().includes(name),
  );
  return enveloped(found.slice(offset, offset + pageSize));
}

function addContact({ body }: OperationRequest, { state }: Context): Answer {
  const fields = readJsonBody(body);
  const name = requiredText(fields, 'name');
  return enveloped(
    createContact(state, { name, email: optionalText(fields, 'email'), phone: optionalText(fields, 'phone') }),
  );
}

/** `q` is a base64 JSON query. Its fields are not shown: here `name` finds the names that contain it, whatever their case. */
function nameInQ(q: string | null): string {
  if (!q) return '';
  const decoded = Buffer.from(q, 'base64').toString('utf8');
  try {
    return (optionalText(readJsonBody(decoded), 'name') ?? '').toLowerCase();
  } catch {
    throw new Refused(400, 'q must be a JSON object in base64 whose name is a text.');
  }
}

function wholeNumber(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (!text) return null;
  if (!/^\d{1,9}$/u.test(text)) throw new Refused(400, `${name} must be a whole number.`);
  return Number(text);
}
