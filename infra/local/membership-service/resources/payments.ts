// Payments. The fields of their types are not shown in the interface document: all are invented.
import { bare, Refused, type Answer } from '../answers.ts';
import { optionalText, readJsonBody, requiredText } from '../json-body.ts';
import type { Context, Operation, OperationRequest } from '../operations.ts';
import { createPayment } from '../organisation-changes.ts';

const path = '/organisations/{organisationId}/payments';

export const paymentOperations: readonly Operation[] = [
  { method: 'GET', path, answer: (_request, { state }) => bare([...state.organisation.payments.values()]) },
  { method: 'POST', path, answer: addPayment },
];

function addPayment({ body }: OperationRequest, { state }: Context): Answer {
  const fields = readJsonBody(body);
  const contactId = requiredText(fields, 'contactId');
  const { amount } = fields;
  if (typeof amount !== 'number' || amount <= 0) throw new Refused(400, 'amount must be a number above 0.');
  if (!state.organisation.contacts.has(contactId)) throw new Refused(404, 'There is no such contact.');
  const currency = optionalText(fields, 'currency') ?? 'EUR';
  return bare(createPayment(state, { contactId, amount, currency, description: optionalText(fields, 'description') }));
}
