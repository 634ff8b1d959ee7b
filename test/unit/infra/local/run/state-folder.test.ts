import { expect, test } from 'vitest';
import { shownPath } from '../../../../../infra/local/run/state-folder.ts';

test.each([
  ['/home/ada/bridge/.local', '/home/ada/bridge', '.local'],
  ['/var/state', '/home/ada/bridge', '/var/state'],
  ['/home/ada/bridge', '/home/ada/bridge', '/home/ada/bridge'],
])('shows %s, seen from %s, as %s', (path, from, shown) => {
  expect(shownPath(path, from)).toBe(shown);
});
