import { describe, expect, it } from 'vitest';
import { createReadAhead } from '../../../functions/poller/read-ahead.ts';

const asked = { startDate: null, endDate: null, pageSize: 100 };
const place = { asked, continuation: 'token' };
const failed = (message: string): Promise<string> => Promise.reject(new Error(message));

describe('a page asked for ahead', () => {
  it('is given once, for the very place it was begun for', async () => {
    const ahead = createReadAhead<string>();

    ahead.begin(place, Promise.resolve('page'));

    expect(await ahead.take({ asked, continuation: 'token' })).toBe('page');
    expect(ahead.take(place)).toBeNull();
  });

  it.each([
    ['another continuation', { asked, continuation: 'other' }],
    ['a walk begun again, although it asks the same', { asked: { ...asked }, continuation: 'token' }],
    ['the start of a walk', { asked, continuation: null }],
  ])('is given up where the run goes on at %s', async (_name, other) => {
    const ahead = createReadAhead<string>();
    ahead.begin(place, Promise.resolve('page'));

    expect(ahead.take(other)).toBeNull();

    expect(ahead.take(place)).toBeNull();
  });

  it('fails whoever asks for it, and nobody before', async () => {
    const ahead = createReadAhead<string>();

    ahead.begin(place, failed('refused'));
    await ahead.settled();

    await expect(ahead.take(place)).rejects.toThrow('refused');
  });

  it('tells its failure where nobody has asked for it', async () => {
    const ahead = createReadAhead<string>();
    ahead.begin(place, failed('too many requests'));

    expect(await ahead.settled()).toMatchObject({ message: 'too many requests' });
    ahead.begin(place, Promise.resolve('page'));
    expect(await ahead.settled()).toBeNull();
  });

  it('is waited for, so that no other request runs beside it', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const ahead = createReadAhead<string>();
    const steps: string[] = [];
    ahead.begin(place, promise);

    const waiting = ahead.settled().then(() => steps.push('idle'));
    await Promise.resolve();
    steps.push('answered');
    resolve('page');
    await waiting;

    expect(steps).toEqual(['answered', 'idle']);
  });
});
