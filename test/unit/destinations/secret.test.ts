import { describe, expect, it } from 'vitest';
import { headersNow, keysNow, signingKey } from '../../../functions/destinations/keys.ts';
import { defined, forgotten, rotated } from '../../../functions/destinations/secret-changes.ts';
import {
  type DestinationSecret,
  entryOf,
  MAX_SECRET_BYTES,
  MAX_STATIC_HEADER_BYTES,
  sizeProblem,
  toDestinationSecret,
} from '../../../functions/destinations/secret.ts';
import { MAX_DESTINATIONS } from '../../../functions/destinations/destination.ts';

const NOW = Date.UTC(2026, 10, 23);
const HOUR_MS = 3_600_000;
const empty: DestinationSecret = { master: 'm'.repeat(64) };

describe('the secret', () => {
  it('is read as CloudFormation has made it, and with what a newer version has added', () => {
    expect(toDestinationSecret(empty)).toEqual(empty);
    const newer = { ...empty, later: 1, destinations: { crm: { key: 2, further: true } } };
    expect(toDestinationSecret(newer)).toEqual(newer);
  });

  it.each([
    null,
    'text',
    {},
    { master: '' },
    { master: 'x'.repeat(63) },
    { ...empty, destinations: { crm: null } },
    { ...empty, destinations: { crm: { key: 'one' } } },
    { ...empty, destinations: { crm: { headers: { 'x-key': 1 } } } },
  ])('is not used at all where it is malformed: %j', (json) => {
    expect(toDestinationSecret(json)).toBeNull();
  });

  it('holds as many destinations as an environment may have, with all static headers that it takes', () => {
    const names = Array.from({ length: MAX_DESTINATIONS }, (_, index) => `d${index}`.padEnd(31, 'x'));
    const added = names.reduce((secret, name) => defined(secret, name, { now: NOW, headers: {} }).secret, empty);
    const full = names.reduce((secret, name) => rotated(secret, name, { now: NOW, overlapMs: HOUR_MS }), added);
    const headers = { 'x-key': 'k'.repeat(MAX_STATIC_HEADER_BYTES - 12 - 2 * MAX_DESTINATIONS) };
    const filled = { ...full, destinations: { ...full.destinations, one: { headers } } };

    expect(sizeProblem(filled)).toBeNull();
    expect(sizeProblem(defined(filled, 'more', { now: NOW, headers: { a: 'b' } }).secret)).toContain('32768 fit');
    const large = { ...empty, more: 'x'.repeat(MAX_SECRET_BYTES) } as DestinationSecret;
    expect(sizeProblem(large)).toContain('65536 fit');
  });
});

describe('a destination in the secret', () => {
  it('gets a larger revision with each change, and keeps its key and headers', () => {
    const first = defined(empty, 'crm', { now: NOW, headers: { 'x-key': 'k' } });
    const second = defined(first.secret, 'crm', { now: NOW - HOUR_MS });

    expect(second.revision).toBe(first.revision + 1);
    expect(entryOf(second.secret, 'crm')).toEqual({ ...entryOf(first.secret, 'crm'), revision: second.revision });
  });

  it('that is removed and added again has another key and a larger revision: nothing old fits', () => {
    const first = defined(empty, 'crm', { now: NOW });
    const again = defined(forgotten(first.secret, 'crm'), 'crm', { now: NOW + 1_000 });

    expect(entryOf(forgotten(first.secret, 'crm'), 'crm')).toBeNull();
    expect(again.revision).toBeGreaterThan(first.revision);
    expect(keysNow(again.secret, 'crm', NOW)).not.toEqual(keysNow(first.secret, 'crm', NOW));
  });

  it('of cdk.json has the first key, and both keys during a rotation', () => {
    const secret = rotated(empty, 'crm', { now: NOW, overlapMs: HOUR_MS });
    const [newer, older] = keysNow(secret, 'crm', NOW);

    expect(keysNow(empty, 'crm', NOW)).toEqual([signingKey(empty.master, 'crm', 1)]);
    expect(older).toEqual(signingKey(empty.master, 'crm', 1));
    expect(keysNow(secret, 'crm', NOW + HOUR_MS)).toEqual([newer]);
  });

  it('has the new key alone at once after a leak, also where a rotation is going on', () => {
    const during = rotated(empty, 'crm', { now: NOW, overlapMs: HOUR_MS });
    const secret = rotated(during, 'crm', { now: NOW, overlapMs: 0 });

    expect(keysNow(secret, 'crm', NOW)).toHaveLength(1);
    expect(keysNow(during, 'crm', NOW)).not.toContainEqual(keysNow(secret, 'crm', NOW)[0]);
  });

  it('may have any name that is allowed, such as one that every object has', () => {
    const { secret } = defined(empty, 'constructor', { now: NOW });
    expect(entryOf(empty, 'constructor')).toBeNull();
    expect(entryOf(secret, 'constructor')?.key).toBe(Math.floor(NOW / 1_000));
  });

  it('gives the values of its static headers alone, and none for a header that nobody has set', () => {
    const { secret } = defined(empty, 'crm', { now: NOW, headers: { 'x-key': 'k', 'x-old': 'o' } });
    expect(headersNow(secret, { name: 'crm', headers: ['x-key', 'x-new'] })).toEqual({ 'x-key': 'k' });
    expect(headersNow(secret, { name: 'shop', headers: ['x-key'] })).toEqual({});
  });
});
