import { expect, test } from 'vitest';
import { withLoginAllowed } from '../../../functions/source/first-login.ts';
import { initialState } from '../../../functions/source/state.ts';

const STATE = initialState(0);

test.each(['Unauthorized', 'PermissionDenied', 'RequestRefused'])(
  'a login that an operator allows ends the wait after %s, which other credentials may cure',
  (code) => {
    expect(withLoginAllowed({ ...STATE, notBefore: { at: 1, code, pauses: 3 } }).notBefore).toBeNull();
  },
);

test.each(['RateLimited', 'ServiceUnavailable'])('a wait that the service asked for stays: %s', (code) => {
  const notBefore = { at: 1, code, pauses: 3 };

  expect(withLoginAllowed({ ...STATE, notBefore }).notBefore).toEqual(notBefore);
});
