// Unknown fields of a state, written by a later version, are kept.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  fromDeferredBody,
  fromStateBody,
  toDeferredBody,
  toStateBody,
} from '../../../../functions/aws/table/state-body.ts';
import type { DeferredSweeps, SourceState } from '../../../../functions/source/state.ts';

/** JSON has no -0 and no undefined members. */
const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const member = fc.dictionary(fc.string(), json, { noNullPrototype: true });

it('keeps every unknown field of a state, at any depth', () => {
  fc.assert(
    fc.property(member, member, (unknown, inner) => {
      const state = { ...unknown, version: 2, cursor: { ...inner, windows: [inner] } } as unknown as SourceState;

      expect(fromStateBody(toStateBody(state), 'acme')).toEqual(state);
      expect(toStateBody(fromStateBody(toStateBody(state), 'acme'))).toEqual(toStateBody(state));
    }),
  );
});

it('keeps every unknown field of deferred sweeps', () => {
  fc.assert(
    fc.property(fc.array(member, { maxLength: 3 }), (sweeps) => {
      const past = { sweeps } as unknown as DeferredSweeps;

      expect(fromDeferredBody(toDeferredBody(past), 'acme')).toEqual(past);
    }),
  );
});
