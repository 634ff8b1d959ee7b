import { expect, it } from 'vitest';
import { type Advisers, knownVulnerabilities } from '../../../tools/dependencies/vulnerabilities.ts';

const PACKAGES = ['undici', 'zod'].map((name) => ({ name, version: '1.0.0', licence: 'MIT' }));
const unreachable = async (): Promise<never> =>
  await Promise.reject(new TypeError('fetch failed', { cause: new Error('getaddrinfo ENOTFOUND') }));
const NOBODY: Advisers = { audit: unreachable, osvBatch: unreachable, osvEntry: unreachable };

const known = async (advisers: Partial<Advisers>) => await knownVulnerabilities(PACKAGES, { ...NOBODY, ...advisers });

it('lists what the audit knows of severity high and critical, and each of it once', async () => {
  const cause = (title: string, severity: string) => ({
    title,
    severity,
    url: `https://github.com/advisories/${title}`,
  });
  const vulnerabilities = {
    undici: { via: [cause('GHSA-1', 'high'), cause('GHSA-2', 'moderate')] },
    client: { via: ['undici'] },
    zod: { via: [cause('GHSA-3', 'critical')] },
  };

  expect(await known({ audit: async () => ({ auditReportVersion: 2, vulnerabilities }) })).toEqual({
    by: 'npm audit',
    findings: [
      'undici: GHSA-1 (high) https://github.com/advisories/GHSA-1',
      'zod: GHSA-3 (critical) https://github.com/advisories/GHSA-3',
    ],
  });
});

it('asks OSV where the registry has no audit, and takes what names no severity for critical', async () => {
  const entries: Readonly<Record<string, object>> = {
    'GHSA-4': { database_specific: { severity: 'HIGH' } },
    'GHSA-5': { database_specific: { severity: 'MODERATE' } },
    'MAL-6': {},
  };
  const asked: unknown[] = [];
  const osvBatch = async (queries: readonly object[]) => {
    asked.push(...queries);
    return { results: [{}, { vulns: Object.keys(entries).map((id) => ({ id })) }] };
  };
  const audit = async () => ({ message: '405 Method Not Allowed', error: { summary: '' } });

  expect(await known({ audit, osvBatch, osvEntry: async (id) => entries[id] })).toEqual({
    by: 'OSV',
    findings: ['zod 1.0.0: GHSA-4 (high) https://osv.dev/GHSA-4', 'zod 1.0.0: MAL-6 (critical) https://osv.dev/MAL-6'],
  });
  expect(asked[0]).toEqual({ package: { name: 'undici', ecosystem: 'npm' }, version: '1.0.0' });
});

it.each<[string, Partial<Advisers>, string]>([
  [
    'nobody can be reached',
    {},
    'npm audit: fetch failed (getaddrinfo ENOTFOUND); OSV: fetch failed (getaddrinfo ENOTFOUND)',
  ],
  [
    'a proxy answers',
    { audit: async () => ({}), osvBatch: async () => ({}) },
    'npm audit: no report; OSV: no list of results',
  ],
  [
    'an entry cannot be read',
    { osvBatch: async () => ({ results: [{ vulns: [{ id: 'GHSA-7' }] }, {}] }) },
    'npm audit: fetch failed (getaddrinfo ENOTFOUND); OSV: fetch failed (getaddrinfo ENOTFOUND)',
  ],
])('says in one line that nothing is known where %s', async (_what, advisers, unknown) => {
  expect(await known(advisers)).toEqual({ unknown });
});
