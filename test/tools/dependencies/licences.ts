// What the bridge runs with, by the lockfile, and whether its licences let anyone use it.
import satisfies from 'spdx-satisfies';

export type Package = { name: string; version: string; licence: string | null };

type Lockfile = {
  packages: Readonly<Record<string, { name?: string; version?: string; license?: string; dev?: boolean }>>;
};

/** SPDX ids of licences that ask for no more than a notice. */
export const ACCEPTED: readonly string[] = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
];

const FOLDER = 'node_modules/';

/** Everything but what only development needs, on every platform, each version once. */
export function runtimePackages({ packages }: Lockfile): Package[] {
  const found = Object.entries(packages).flatMap(([path, { name, version = '', license = null, dev }]): Package[] =>
    path === '' || dev === true
      ? []
      : [{ name: name ?? path.slice(path.lastIndexOf(FOLDER) + FOLDER.length), version, licence: license }],
  );
  return [...new Map(found.map((one) => [`${one.name}@${one.version}`, one])).values()];
}

/** A line for each package whose licence is not accepted, or that has none. */
export function refusedLicences(packages: readonly Package[]): string[] {
  return packages
    .filter(({ licence }) => licence === null || !isAccepted(licence))
    .map(({ name, version, licence }) => `${name} ${version}: ${licence ?? 'names no licence'}`);
}

/** Whether an SPDX expression can be met with the accepted ids; false for what is no such expression. */
function isAccepted(expression: string): boolean {
  try {
    return satisfies(expression, ACCEPTED);
  } catch {
    return false;
  }
}
