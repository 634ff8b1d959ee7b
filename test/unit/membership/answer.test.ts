import { describe, expect, test } from 'vitest';
import { readAnswer } from '../../../functions/membership/answer.ts';
import { operationOf, type OperationName } from '../../../functions/membership/operations.ts';
import { toJson, type JsonObject } from '../../../functions/shared/json.ts';

function read(name: OperationName, json: unknown, { status = 200, type = 'application/json' } = {}) {
  const text = typeof json === 'string' ? json : json === undefined ? '' : JSON.stringify(json);
  return readAnswer(operationOf(name), { status, headers: { 'content-type': type }, text });
}

const enveloped = (data: unknown): object => ({ data, isValid: true, errors: [] });
const failed = { data: null, isValid: false, errors: [{ code: 'limit_reached', message: 'Ada Tanaka' }] };

describe('an answer', () => {
  test.each<[OperationName, unknown, unknown]>([
    ['listPlans', enveloped([{ id: 'a', unknown: { kept: [1] } }]), [{ id: 'a', unknown: { kept: [1] } }]],
    ['getPlan', enveloped({ id: 'a', unknown: null }), { id: 'a', unknown: null }],
    ['listApplications', enveloped([{ name: 'a', fee: null }]), [{ name: 'a', fee: null }]],
    ['listDebts', [{ id: 'a' }], [{ id: 'a' }]],
    ['createDebt', { id: 'a' }, { id: 'a' }],
    ['updateDebt', {}, {}],
    ['listDebts', enveloped([{ id: 'a' }]), [{ id: 'a' }]],
    ['getDebt', enveloped({ id: 'a' }), { id: 'a' }],
    ['createDebt', enveloped({ id: 'a' }), { id: 'a' }],
    ['updateDebt', enveloped({ id: 'a' }), { id: 'a' }],
    ['updateDebt', enveloped(null), {}],
    ['updateDebt', { isValid: true, errors: [] }, {}],
    ['updateTag', enveloped(null), undefined],
    ['getDebt', { id: 'a', isValid: true }, { id: 'a', isValid: true }],
    ['listContacts', enveloped([{ id: 'a' }]), [{ id: 'a' }]],
    ['listContacts', [{ id: 'a' }], [{ id: 'a' }]],
    ['listContacts', enveloped({ items: [{ id: 'a' }], total: 1 }), [{ id: 'a' }]],
    ['listTagMembers', ['a', 'b'], ['a', 'b']],
    ['listCountries', { countries: ['Österreich'] }, ['Österreich']],
    ['getAccount', enveloped({ organisations: [] }), { organisations: [] }],
    ['getSettings', { isValid: true }, { isValid: true }],
    ['createContact', enveloped({ id: 'a' }), { id: 'a' }],
    ['createContact', { id: 'a' }, { id: 'a' }],
    ['createContact', '"a"', 'a'],
    ['createContact', enveloped(null), null],
    ['updateDebt', undefined, {}],
    ['deletePayment', undefined, {}],
    ['createDebt', enveloped(null), {}],
  ])('of %s that is %j is read as %j', (name, json, value) => {
    const answer = read(name, json);

    expect(answer.value).toEqual(value);
  });

  test('keeps numbers beyond 2^53', () => {
    const { value } = read('listDebts', '[{"id":90071992547409931}]');

    expect(toJson(value!)).toBe('[{"id":90071992547409931}]');
  });

  test.each<[OperationName, (payments: string) => string]>([
    ['listPayments', (payments) => payments],
    ['listContacts', (payments) => `{"data":${payments},"isValid":true,"errors":[]}`],
    ['listPlans', (payments) => `{"data":${payments},"isValid":true,"errors":[]}`],
  ])('of %s has amounts that are numbers, however they are written', (name, written) => {
    const { value } = read(name, written('[{"amount":12.50},{"amount":100.00},{"amount":1e3},{"amount":0.10}]'));

    const amounts = (value as JsonObject[]).map(({ amount }) => amount);
    expect(amounts).toEqual([12.5, 100, 1000, 0.1]);
    expect(amounts.reduce<number>((sum, amount) => (typeof amount === 'number' ? sum + amount : sum), 0)).toBe(1112.6);
  });

  test('without content is undefined when documented, and null when nothing is documented', () => {
    expect(read('updateTag', undefined, { status: 204 }).value).toBeUndefined();
    expect(read('updateTag', undefined).value).toBeUndefined();
    expect(read('createContact', undefined, { status: 204 }).value).toBeNull();
  });

  test('keeps the members other than data, one of which is the continuation', () => {
    const { members } = read('listActionLogs', { ...enveloped([]), requestContinuation: 'c' });

    expect(members).toEqual({ isValid: true, errors: [], requestContinuation: 'c' });
  });
});

describe('an answer that differs from the documented one', () => {
  test.each<[OperationName, unknown, string]>([
    ['listPlans', [{ id: 'a' }], 'no envelope'],
    ['listPlans', { data: [] }, 'isValid is not true'],
    ['listPlans', enveloped({}), 'not a list'],
    ['listPlans', enveloped(['a']), 'a record is not an object'],
    ['listPlans', enveloped(null), 'data is null'],
    ['listPlans', failed, 'isValid is false'],
    ['listPlans', { data: [], isValid: true, errors: ['x'] }, 'errors are not empty'],
    ['createContact', { data: { id: 'a' }, isValid: true, errors: ['x'] }, 'errors are not empty'],
    ['getPlan', { id: 'a' }, 'isValid is not true'],
    ['getPlan', enveloped([]), 'not an object'],
    ['listDebts', enveloped({ id: 'a' }), 'not a list'],
    ['getDebt', enveloped(null), 'data is null'],
    ['createDebt', { data: { id: 'a' }, isValid: true, errors: ['x'] }, 'errors are not empty'],
    ['updateTag', { data: null, isValid: true, errors: ['x'] }, 'errors are not empty'],
    ['updateDebt', enveloped('done'), 'not an object'],
    ['listApplications', enveloped([{ name: 'a' }, { fee: 5 }]), 'a value is not a text'],
    ['listDebts', failed, 'isValid is false'],
    ['listDebts', {}, 'not a list'],
    ['getDebt', [], 'not an object'],
    ['getDebt', failed, 'isValid is false'],
    ['getDebt', { isValid: false }, 'isValid is false'],
    ['createDebt', { isValid: false, message: 'Ada Tanaka' }, 'isValid is false'],
    ['getSettings', { isValid: false }, 'isValid is false'],
    ['getDebt', undefined, 'empty'],
    ['updateDebt', failed, 'isValid is false'],
    ['updateDebt', '5', 'not an object'],
    ['updateTag', failed, 'isValid is false'],
    ['updateTag', '<html></html>', 'HTML or XML'],
    ['createContact', failed, 'isValid is false'],
    ['createContact', '<html></html>', 'HTML or XML'],
    ['listContacts', failed, 'isValid is false'],
    ['listContacts', enveloped({ a: [], b: [] }), 'not a list'],
    ['listContacts', {}, 'not a list'],
    ['listContacts', ['a'], 'a record is not an object'],
    ['listEvents', ['a'], 'a record is not an object'],
    ['listBoards', ['a'], 'a record is not an object'],
    ['listContacts', undefined, 'empty'],
    ['listTagMembers', { data: [], isValid: false }, 'isValid is false'],
    ['getAccount', enveloped(null), 'data is null'],
    ['getSettings', enveloped([]), 'not an object'],
  ])('%s: %j is refused: %s', (name, json, reason) => {
    const refused = (): unknown => read(name, json);

    expect(refused).toThrow(
      expect.objectContaining({ code: 'ResponseInvalid', details: expect.objectContaining({ reason }) as unknown }),
    );
    expect(refused).not.toThrow('Ada Tanaka');
  });

  test('is refused for its content type, whatever its text', () => {
    expect(() => read('listDebts', [], { type: 'text/plain' })).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ reason: 'content type' }) as unknown }),
    );
  });
});
