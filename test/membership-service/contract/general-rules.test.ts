// The document's rule 4, in every answer of `ordinary`: identifiers are UUIDs, and dates are ISO 8601 in the
// organisation's time zone. Other personalities may go against it, and the reference says which do.
import { beforeAll, afterAll, describe, expect, test } from 'vitest';
import type { Operation } from '../../../functions/membership/operation.ts';
import { OPERATIONS, operationOf } from '../../../functions/membership/operations.ts';
import { isJsonObject, parseJson, type JsonValue } from '../../../functions/shared/json.ts';
import { offsetAt } from '../../../functions/membership/time-zone.ts';
import { anId, bodyOf } from './subjects.ts';
import { send, startLocalWorld, type World } from './world.ts';

const READS: readonly Operation[] = OPERATIONS.filter(({ method }) => method === 'GET');
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
const DATE = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?<offset>Z|[+-]\d\d:\d\d)?)?$/;

let world: World;
beforeAll(async () => {
  world = await startLocalWorld('ordinary');
  for (const name of ['createDebt', 'createDonation', 'createPayment', 'createContact'] as const) {
    const operation = operationOf(name);
    await send(world, operation, { body: await bodyOf(world, operation) });
  }
});
afterAll(async () => await world.close());

type Member = readonly [name: string, value: JsonValue];

function membersOf(value: JsonValue): Member[] {
  if (Array.isArray(value)) return value.flatMap(membersOf);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]): Member[] => [[name, inner], ...membersOf(inner)]);
}

async function membersIn(operation: Operation): Promise<Member[]> {
  const id = operation.path.includes('{id}') ? await anId(world, operation) : undefined;
  const answer = await send(world, operation, { id });
  expect(answer.status).toBe(200);
  return membersOf(parseJson(answer.text));
}

/** Whether an ISO 8601 text is in the organisation's zone: without an offset, or with the zone's own at that moment. */
function isInZone(text: string): boolean {
  const offset = DATE.exec(text)?.groups?.['offset'];
  const hours = offsetAt(Date.parse(text), world.personality?.stamps.timeZone ?? '') / 3_600_000;
  return offset === undefined || offset === `+0${hours}:00`;
}

describe.each(READS)('$name of ordinary', (operation) => {
  test('has UUIDs as identifiers and dates in the zone of the organisation (rule 4)', async () => {
    const members = await membersIn(operation);
    const ids = members.filter(([name, value]) => /(?:^i|I)d$/.test(name) && value !== null);
    const dates = members.flatMap(([, value]) => (typeof value === 'string' && DATE.test(value) ? [value] : []));

    expect(ids.filter(([, value]) => typeof value !== 'string' || !UUID.test(value))).toEqual([]);
    expect(dates.filter((text) => !isInZone(text))).toEqual([]);
  });
});
