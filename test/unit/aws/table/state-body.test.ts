import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bodyIn,
  fromDeferredBody,
  fromStateBody,
  toDeferredBody,
  toStateBody,
} from '../../../../functions/aws/table/state-body.ts';
import type { SourceState, Sweep } from '../../../../functions/source/state.ts';
import { anyUnicode } from '../../../support/arbitrary-text.ts';

/** Only the parts of a sweep that storage might change. */
function aSweep(continuation: string): Sweep {
  return { id: 's', level: 'past', windows: [{ from: 1, to: null, continuation }] } as unknown as Sweep;
}

describe('the stored text', () => {
  it('returns any continuation unchanged, whatever characters it has', () => {
    fc.assert(
      fc.property(anyUnicode(), (text) => {
        const state = { version: 2, cursor: aSweep(`${text}\ud83d`) } as unknown as SourceState;

        expect(fromStateBody(toStateBody(state), 'acme')).toEqual(state);
        expect(fromDeferredBody(toDeferredBody({ sweeps: [aSweep(text)] }), 'acme')).toEqual({
          sweeps: [aSweep(text)],
        });
      }),
    );
  });

  it.each([
    [
      '{"version":1}',
      'has version 1, and this bridge reads version 2. Version 1 was never released: start a local folder',
    ],
    ['{"version":3}', 'has version 3, and this bridge reads version 2. Deploy the version that wrote it'],
    ['{}', 'has version none'],
    ['{"version":"1"}', 'has version none'],
    ['"secret-continuation', 'is not readable. Restore'],
    ['null', 'is not readable'],
    ['[1]', 'has version none'],
  ])('is refused, with advice, when it is %s', (body, message) => {
    const refusals = [fromStateBody, fromDeferredBody].map((read) => errorOf(() => read(gzipSync(body), 'acme')));

    for (const refusal of refusals) {
      expect(refusal).toMatchObject({ code: 'StateInvalid', retryable: false });
      expect(refusal?.cause).toBeUndefined();
      expect(refusal?.message).toContain(message);
      expect(refusal?.message).toContain('source acme');
      expect(refusal?.message).not.toContain('secret-continuation');
    }
  });
});

it('is read where it was written before bodies were gzipped', () => {
  expect(fromStateBody('{"version":2,"failures":3}', 'acme')).toEqual({ version: 2, failures: 3 });
  expect([bodyIn({ body: { S: 'text' } }), bodyIn({}), bodyIn(undefined)]).toEqual(['text', undefined, undefined]);
});

it('is refused where it is not gzipped, or unpacks to more than the bridge ever writes', () => {
  const bodies = [Buffer.from('{"version":2}'), gzipSync(JSON.stringify({ version: 2, more: ' '.repeat(2 ** 23) }))];

  for (const body of bodies)
    expect(errorOf(() => fromStateBody(body, 'acme'))?.message).toContain('is not readable. Restore');
});

function errorOf(work: () => unknown): Error | null {
  try {
    work();
    return null;
  } catch (error) {
    return error as Error;
  }
}
