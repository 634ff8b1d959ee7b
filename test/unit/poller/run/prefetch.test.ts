import { describe, expect, it } from 'vitest';
import { createPrefetch } from '../../../../functions/poller/run/prefetch.ts';
import { failure } from '../builders.ts';

const params = { startDate: null, endDate: null, pageSize: 100 };
const place = { params, continuation: 'token' };

describe('a prefetched page', () => {
  it('is given once, for the very place it was requested for', async () => {
    const prefetch = createPrefetch<string>();

    prefetch.begin(place, Promise.resolve('page'));

    expect(await prefetch.take({ params, continuation: 'token' })).toBe('page');
    expect(prefetch.take(place)).toBeNull();
  });

  it.each([
    ['another continuation', { params, continuation: 'other' }],
    ['a walk that has begun again with the same parameters', { params: { ...params }, continuation: 'token' }],
    ['the start of a walk', { params, continuation: null }],
  ])('is dropped where the run goes on at %s', (_name, other) => {
    const prefetch = createPrefetch<string>();
    prefetch.begin(place, Promise.resolve('page'));

    expect([prefetch.take(other), prefetch.take(place)]).toEqual([null, null]);
  });

  it('keeps its failure for whoever takes it, and reports it to whoever waits for it', async () => {
    const prefetch = createPrefetch<string>();
    const refused = failure('RateLimited');
    prefetch.begin(place, Promise.reject(refused));

    expect(await prefetch.settled()).toBe(refused);
    await expect(prefetch.take(place)).rejects.toBe(refused);
    prefetch.begin(place, Promise.resolve('page'));
    expect(await prefetch.settled()).toBeNull();
  });

  it('is forgotten with its failure once it is dropped', async () => {
    const prefetch = createPrefetch<string>();
    const refused = failure('RateLimited');
    prefetch.begin(place, Promise.reject(refused));

    expect([await prefetch.drop(), await prefetch.settled(), prefetch.take(place)]).toEqual([refused, null, null]);
  });

  it('is waited for, so that no other request is sent at the same time', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const prefetch = createPrefetch<string>();
    const steps: string[] = [];
    prefetch.begin(place, promise);

    const waiting = prefetch.settled().then(() => steps.push('settled'));
    await Promise.resolve();
    steps.push('answered');
    resolve('page');
    await waiting;

    expect(steps).toEqual(['answered', 'settled']);
  });
});
