// What the contract does to a real organisation, for which the local service stands in here.
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Operation } from '../../../functions/membership/operation.ts';
import { OPERATIONS, operationOf } from '../../../functions/membership/operations.ts';
import {
  createFaults,
  startMembershipService,
  type MembershipService,
} from '../../../infra/membership-service/service.ts';
import { tryRow } from './outcome.ts';
import { realWorld } from './real-world.ts';
import { rowsOf } from './rows.ts';
import { cleanUp } from './subjects.ts';
import type { World } from './world.ts';

const ALL: readonly Operation[] = OPERATIONS;

async function openWorld(write: 'yes' | 'no'): Promise<{ service: MembershipService; world: World }> {
  const service = await startMembershipService({ history: { entries: 60, days: 5 } });
  onTestFinished(async () => await service.close());
  const { url, username, password } = service;
  const environment = { MEMBERSHIP_URL: `${url}/`, MEMBERSHIP_USERNAME: username, MEMBERSHIP_PASSWORD: password };
  const world = await realWorld({ ...environment, MEMBERSHIP_WRITE: write })?.();
  if (world === undefined) throw new Error('There is no world.');
  return { service, world };
}

async function tryAll(world: World): Promise<{ held: number; reasons: string[] }> {
  const reasons: (string | null)[] = [];
  for (const operation of ALL) {
    for (const row of rowsOf(operation)) reasons.push(await tryRow(world, operation, row));
  }
  return {
    held: reasons.filter((reason) => reason === null).length,
    reasons: reasons.filter((reason) => reason !== null),
  };
}

const keysSince = (service: MembershipService, serial: number): string[] =>
  service
    .entries()
    .filter((entry) => entry.serial > serial)
    .map(({ actionKey }) => actionKey);

describe('the contract against a real organisation', () => {
  test('finds the organisation in the account, and only reads', async () => {
    const { service, world } = await openWorld('no');
    const before = service.entries().length;

    const { held, reasons } = await tryAll(world);
    await cleanUp(world);

    expect(world.organisationId).toBe(service.organisationId);
    expect(held).toBeGreaterThan(100);
    expect(reasons.find((reason) => reason.startsWith('It writes.'))).toMatch(
      /MEMBERSHIP_WRITE=yes .* a free organisation/,
    );
    expect(new Set(service.requests.recent.map(({ method }) => method))).toEqual(new Set(['GET', 'POST']));
    expect(service.requests.recent.filter(({ method, path }) => method === 'POST' && path !== '/token')).toEqual([]);
    expect(keysSince(service, before)).toEqual([]);
  });

  test('writes if allowed, and removes everything that it created', async () => {
    const { service, world } = await openWorld('yes');
    const before = service.entries().length;

    await tryAll(world);
    await cleanUp(world);

    const keys = keysSince(service, before);
    const count = (word: string): string[] =>
      keys.filter((key) => key.endsWith(word)).map((key) => key.replace(word, ''));
    expect(count('Created').length).toBeGreaterThan(8);
    expect(count('Created').toSorted()).toEqual(count('Deleted').toSorted());
  });

  test('reports an assumption that does not hold, and fails if documented behaviour does not', async () => {
    const { service, world } = await openWorld('no');
    const operation = operationOf('listDebts');
    const rows = rowsOf(operation);
    const rowOf = (title: string) => rows.find((row) => row.title.includes(title)) ?? rows[0]!;
    service.faults = createFaults({ unavailable: true });

    const assumed = await tryRow(world, operation, rowOf('organisationId that is not a UUID'));
    const documented = tryRow(world, operation, rowOf('answers 200'));

    expect(assumed).toMatch(/^Assumption A26 does not hold here: /);
    await expect(documented).rejects.toThrow();
  });

  test('shows control characters in what a real service answers as text', async () => {
    const { world } = await openWorld('no');
    const operation = operationOf('listDebts');
    const [row] = rowsOf(operation);
    const run = async (): Promise<never> => await Promise.reject(new Error('expected \u001B]0;owned\u0007 to be 1'));

    const assumed = await tryRow(world, operation, { ...row!, assumption: 'A26', run });

    expect(assumed).toBe(String.raw`Assumption A26 does not hold here: expected \u001b]0;owned\u0007 to be 1`);
  });

  test('does not start over http to another machine, which would expose the password', () => {
    const named = { MEMBERSHIP_USERNAME: 'me@example.org', MEMBERSHIP_PASSWORD: 'hush' };

    expect(() => realWorld({ ...named, MEMBERSHIP_URL: 'http://api.membership.example' })).toThrow(
      'http to another machine',
    );
    expect(realWorld({ ...named, MEMBERSHIP_URL: 'https://api.membership.example/' })).not.toBeNull();
  });

  test('does not start with incomplete settings', () => {
    expect(() => realWorld({ MEMBERSHIP_URL: 'http://127.0.0.1:1', MEMBERSHIP_USERNAME: 'me@example.org' })).toThrow(
      'MEMBERSHIP_URL is set; set MEMBERSHIP_PASSWORD as well.',
    );
    expect(realWorld({})).toBeNull();
  });
});
