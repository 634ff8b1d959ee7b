// The rows of an operation, derived from the operation table: what it must answer, accept and refuse.
import { expect } from 'vitest';
import type { Operation, ParameterType, QueryParameter } from '../../../functions/membership/operation.ts';
import { findContinuation } from '../../../functions/membership/continuation.ts';
import { isJsonObject, parseJson } from '../../../functions/shared/json.ts';
import { accessRows, emptyBody } from './access-rows.ts';
import { pagingRows } from './paging-rows.ts';
import type { Row } from './row.ts';
import { ANSWERS, checkAnswer } from './shapes.ts';
import { anId, bodyOf, makeOne, NothingToTry, ownId, UNKNOWN_ID } from './subjects.ts';
import { tokenRows } from './token-rows.ts';
import { listIn, send, type Answered, type Call, type World } from './world.ts';

export function rowsOf(operation: Operation): Row[] {
  if (operation.authorization === 'none') return tokenRows(operation);
  return [
    ...successRows(operation),
    ...operation.query.flatMap((parameter) => parameterRows(operation, parameter)),
    ...pathRows(operation),
    ...bodyRows(operation),
    ...accessRows(operation),
    ...pagingRows(operation),
  ];
}

const isWrite = ({ method }: Operation): boolean => method !== 'GET';
const NO_REMOVAL = 'The interface has no operation that removes a contact.';

function successRows(operation: Operation): Row[] {
  const { answer, name } = operation;
  const status = answer.kind === 'notShown' ? 'a success' : String(answer.status);
  const title = `answers ${status} with ${ANSWERS[answer.kind]}`;
  const run = async (world: World): Promise<void> => checkAnswer(operation, await succeed(world, operation));
  if (name === 'createContact') return [{ title, localOnly: NO_REMOVAL, run }];
  return answer.kind === 'notShown' ? [{ title, run }, wrappingRow(operation)] : [{ title, run }];
}

/** Sends a valid request. */
async function succeed(world: World, operation: Operation): Promise<Answered> {
  const isCreation = operation.method === 'POST' && !operation.path.includes('{id}');
  // In a real organisation the new record must be found again, to be removed.
  if (isCreation && world.personality === null) return (await makeOne(world, operation)).answer;
  const body = operation.body === null ? undefined : await bodyOf(world, operation);
  const id = await idFor(world, operation);
  const answer = await send(world, operation, { id, body });
  if (world.personality !== null && !isWrite(operation)) expect(listIn(answer)?.length).not.toBe(0);
  return answer;
}

async function idFor(world: World, operation: Operation): Promise<string | undefined> {
  if (!operation.path.includes('{id}')) return undefined;
  return isWrite(operation) ? await ownId(world, operation) : await anId(world, operation);
}

function wrappingRow(operation: Operation): Row {
  return {
    title: 'answers in the envelope, or with the bare payload',
    assumption: 'A23',
    localOnly: isWrite(operation) ? NO_REMOVAL : undefined,
    run: async (world) => {
      const value = parseJson((await succeed(world, operation)).text);
      const isEnvelope = isJsonObject(value) && value['isValid'] === true && 'data' in value;
      expect(isEnvelope).toBe(world.personality === null ? isEnvelope : world.personality.pathOnly === 'envelope');
      const payload = isEnvelope ? value['data'] : value;
      expect(Array.isArray(payload)).toBe(operation.name.startsWith('list'));
    },
  };
}

const ACCEPTED: Readonly<Record<ParameterType, string>> = {
  uuid: UNKNOWN_ID,
  int32: '2',
  string: 'a',
  'date-time': '2026-01-31T12:00:00Z',
  json: Buffer.from('{}').toString('base64'),
};

/** No text is invalid. */
const REFUSED: Readonly<Record<ParameterType, string | null>> = {
  uuid: 'me',
  int32: 'many',
  string: null,
  'date-time': 'yesterday',
  json: '***',
};

function parameterRows(operation: Operation, { name, type }: QueryParameter): Row[] {
  if (name === 'requestContinuation') return continuationRows(operation);
  const query = { [name]: ACCEPTED[type] };
  const accepted: Row = {
    title: `accepts ${name}`,
    run: async (world) => {
      const answer = await send(world, operation, { id: await idFor(world, operation), query });
      checkAnswer(operation, answer);
      if (name === 'pageSize') expect(listIn(answer)?.length ?? Infinity).toBeLessThanOrEqual(2);
    },
  };
  const bad = REFUSED[type];
  if (bad === null) return [accepted];
  const refused = refusalRow(operation, `refuses ${name}=${bad}`, { query: { [name]: bad } }, () => [400]);
  return [accepted, refused];
}

function continuationRows(operation: Operation): Row[] {
  return [
    {
      title: 'accepts the requestContinuation of a page',
      assumption: 'A1',
      run: async (world) => {
        const first = await send(world, operation, { query: { pageSize: '2' } });
        const body = parseJson(first.text);
        const { value } = findContinuation({ body: isJsonObject(body) ? body : {}, headers: first.headers }, null);
        if (value === null) throw new NothingToTry('The first page of two records has no continuation.');
        const second = await send(world, operation, { query: { pageSize: '2', requestContinuation: value } });
        checkAnswer(operation, second);
        expect(listIn(second)).not.toEqual(listIn(first));
      },
    },
    refusalRow(
      operation,
      'refuses an unknown requestContinuation',
      { query: { requestContinuation: 'never-issued' } },
      ({ continuation }) => [continuation.refusedWith],
      'A5',
    ),
  ];
}

function pathRows(operation: Operation): Row[] {
  const badOrganisation = refusalRow(
    operation,
    'refuses an organisationId that is not a UUID',
    { organisationId: 'ours', id: UNKNOWN_ID, ...emptyBody(operation) },
    () => [400],
  );
  const badId = refusalRow(operation, 'refuses an id that is not a UUID', { id: '1', ...emptyBody(operation) }, () => [
    400,
  ]);
  const unknownId: Row = {
    ...refusalRow(operation, 'refuses an unknown id', {}, ({ refusals }) => [refusals.unknownId]),
    run: async (world) => {
      const body = operation.body === null ? undefined : await bodyOf(world, operation);
      expectStatus(world, await send(world, operation, { id: UNKNOWN_ID, body }), [
        world.personality?.refusals.unknownId,
      ]);
    },
  };
  return [
    ...(operation.path.includes('{organisationId}') ? [badOrganisation] : []),
    ...(operation.path.includes('{id}') ? [badId, unknownId] : []),
  ];
}

function bodyRows(operation: Operation): Row[] {
  if (operation.body === null) return [];
  const row = (title: string, body: string, status: (of: World['personality'] & {}) => number): Row => ({
    title,
    assumption: 'A26',
    localOnly: 'A real service may accept it and create something that cannot be found again.',
    run: async (world) => {
      const id = operation.path.includes('{id}') ? await anId(world, operation) : undefined;
      expectStatus(world, await send(world, operation, { id, body }), [world.personality && status(world.personality)]);
    },
  });
  return [
    row('refuses a body that is not JSON', '{"name":', ({ refusals }) => refusals.malformedBody),
    row('refuses a body that is not an object', '[]', ({ refusals }) => refusals.malformedBody),
    row('refuses a body without any field', '{}', ({ refusals }) => refusals.invalidBody),
  ];
}

/** A row whose status is not documented. `statuses` are those of the local service. */
function refusalRow(
  operation: Operation,
  title: string,
  call: Call,
  statuses: (of: World['personality'] & {}) => readonly number[],
  assumption = 'A26',
): Row {
  return {
    title,
    assumption,
    run: async (world) => {
      const needsId = operation.path.includes('{id}') && call.id === undefined;
      const id = needsId ? await anId(world, operation) : call.id;
      const answer = await send(world, operation, { ...call, ...(id === undefined ? {} : { id }) });
      expectStatus(world, answer, world.personality === null ? [] : statuses(world.personality));
    },
  };
}

/** Expects one of `local` in the local service, and any status of a refusal in a real one. */
function expectStatus(
  { personality }: World,
  { status }: Answered,
  local: readonly (number | null | undefined)[],
): void {
  if (personality === null) expect([400, 404, 409, 410, 422]).toContain(status);
  else expect(local).toContain(status);
}
