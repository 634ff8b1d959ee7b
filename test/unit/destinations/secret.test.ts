import { describe, expect, it } from 'vitest';
import { headersNow, keysNow, signingKey } from '../../../functions/destinations/keys.ts';
import { defined, forgotten, nextRevision, rotated } from '../../../functions/destinations/secret-changes.ts';
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

/** As `add` and `set` write it. */
function define(secret: DestinationSecret, name: string, at: number, { isNew = true, headers = {} } = {}) {
  const revision = nextRevision(secret, name, { stored: null, now: at });
  return { revision, secret: defined(secret, name, { revision, isNew, now: at, headers })! };
}
const rotate = (secret: DestinationSecret, overlapMs: number, at = NOW, name = 'crm') =>
  rotated(secret, name, { now: at, overlapMs })!;

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
    const added = names.reduce((secret, name) => define(secret, name, NOW).secret, empty);
    const full = names.reduce((secret, name) => rotate(secret, HOUR_MS, NOW, name), added);
    const headers = { 'x-key': 'k'.repeat(MAX_STATIC_HEADER_BYTES - 12 - 2 * MAX_DESTINATIONS) };
    const filled = { ...full, destinations: { ...full.destinations, one: { headers } } };

    expect(sizeProblem(filled)).toBeNull();
    expect(sizeProblem(define(filled, 'more', NOW, { headers: { a: 'b' } }).secret)).toContain('32768 fit');
    const large = { ...empty, more: 'x'.repeat(MAX_SECRET_BYTES) } as DestinationSecret;
    expect(sizeProblem(large)).toContain('65536 fit');
  });
});

describe('a destination in the secret', () => {
  it('gets a larger revision with each change, and keeps its key and headers', () => {
    const first = define(empty, 'crm', NOW, { headers: { 'x-key': 'k' } });
    const second = define(first.secret, 'crm', NOW - HOUR_MS, { isNew: false, headers: { 'x-key': 'k' } });

    expect(second.revision).toBe(first.revision + 1);
    expect(entryOf(second.secret, 'crm')).toEqual({ ...entryOf(first.secret, 'crm'), revision: second.revision });
  });

  it('that is removed and added again has another key and a larger revision: nothing old fits', () => {
    const first = define(empty, 'crm', NOW);
    const again = define(forgotten(first.secret, 'crm'), 'crm', NOW + 1_000);

    expect(entryOf(forgotten(first.secret, 'crm'), 'crm')).toBeNull();
    expect(again.revision).toBeGreaterThan(first.revision);
    expect(keysNow(again.secret, 'crm', NOW)).not.toEqual(keysNow(first.secret, 'crm', NOW));
  });

  it('of cdk.json has the first key, and both keys during a rotation', () => {
    const secret = rotate(empty, HOUR_MS);
    const [newer, older] = keysNow(secret, 'crm', NOW);

    expect(keysNow(empty, 'crm', NOW)).toEqual([signingKey(empty.master, 'crm', 1)]);
    expect(older).toEqual(signingKey(empty.master, 'crm', 1));
    expect(keysNow(secret, 'crm', NOW + HOUR_MS)).toEqual([newer]);
  });

  it('has the new key alone at once after a leak, also where a rotation is going on', () => {
    const during = rotate(empty, HOUR_MS);
    const secret = rotate(during, 0);

    expect(keysNow(secret, 'crm', NOW)).toHaveLength(1);
    expect(keysNow(during, 'crm', NOW)).not.toContainEqual(keysNow(secret, 'crm', NOW)[0]);
  });

  it('keeps each key for its own time where a rotation is repeated, and five keys at most (D48)', () => {
    const twice = rotate(rotate(empty, 3 * HOUR_MS), HOUR_MS, NOW + HOUR_MS);
    const keysAt = (hours: number) => keysNow(twice, 'crm', NOW + hours * HOUR_MS).length;

    expect([1, 2, 3].map(keysAt)).toEqual([3, 2, 1]);
    expect(keysNow(twice, 'crm', NOW)).toContainEqual(signingKey(empty.master, 'crm', 1));
    const five = rotate(rotate(twice, HOUR_MS, NOW + HOUR_MS), HOUR_MS, NOW + HOUR_MS);
    expect(rotate(five, HOUR_MS, NOW + HOUR_MS)).toBeNull();
    expect(keysNow(rotate(five, HOUR_MS, NOW + 2 * HOUR_MS), 'crm', NOW + 2 * HOUR_MS)).toHaveLength(3);
  });

  it('that a newer definition was named for is not named again: somebody else was faster', () => {
    const { secret, revision } = define(empty, 'crm', NOW);
    const given = { isNew: false, now: NOW, headers: {} };

    expect(defined(secret, 'crm', { ...given, revision: revision - 1 })).toBeNull();
    expect(nextRevision(secret, 'crm', { stored: revision + 7, now: NOW })).toBe(revision + 8);
  });

  it('that a removal has left gets another key where it is defined again', () => {
    const { secret } = define(empty, 'crm', NOW);

    expect(entryOf(define(secret, 'crm', NOW + 1_000).secret, 'crm')?.key).not.toBe(entryOf(secret, 'crm')?.key);
  });

  it('may have any name that is allowed, such as one that every object has', () => {
    const { secret } = define(empty, 'constructor', NOW);
    expect(entryOf(empty, 'constructor')).toBeNull();
    expect(entryOf(secret, 'constructor')?.key).toBe(NOW);
  });

  it('gives the values of its static headers alone, and none for a header that nobody has set', () => {
    const { secret } = define(empty, 'crm', NOW, { headers: { 'x-key': 'k', 'x-old': 'o' } });
    expect(headersNow(secret, { name: 'crm', headers: ['x-key', 'x-new'] })).toEqual({ 'x-key': 'k' });
    expect(headersNow(secret, { name: 'shop', headers: ['x-key'] })).toEqual({});
  });
});
