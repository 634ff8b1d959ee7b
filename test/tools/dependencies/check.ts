// `npm run dependencies`: known vulnerabilities and licences of what the bridge runs with, and a list of it (SBOM).
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Package, refusedLicences, runtimePackages } from './licences.ts';
import { runtimeSbom, type Sbom } from './sbom.ts';
import { knownVulnerabilities } from './vulnerabilities.ts';

const PROJECT = join(import.meta.dirname, '../../..');
const OSV = 'https://api.osv.dev/v1';
const TIMEOUT_MS = 10_000;

const HELP = `npm run dependencies -- [--sbom FILE]

Ends with 1 where a package that the bridge runs with has a known vulnerability of severity high or critical, or a
licence that is not accepted. It asks npm's registry, or OSV; where neither answers it says so and goes on.

--sbom FILE  also writes a list of these packages as CycloneDX (JSON)`;

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { sbom: { type: 'string' }, help: { type: 'boolean' } } });
  if (values.help === true) {
    console.log(HELP);
    return 0;
  }
  const packages = runtimePackages(JSON.parse(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8')));
  const isLicensed = checkLicences(packages);
  const isSafe = await checkVulnerabilities(packages);
  if (values.sbom !== undefined) writeSbom(resolve(process.env['INIT_CWD'] ?? '', values.sbom));
  return isLicensed && isSafe ? 0 : 1;
}

function checkLicences(packages: readonly Package[]): boolean {
  const refused = refusedLicences(packages);
  console.log(`Licences of ${packages.length} packages: ${refused.length === 0 ? 'all accepted.' : 'not accepted:'}`);
  for (const line of refused) console.log(`  ${line}`);
  if (refused.length > 0) console.log('Use another package, or accept the licence in test/tools/dependencies.');
  return refused.length === 0;
}

async function checkVulnerabilities(packages: readonly Package[]): Promise<boolean> {
  const known = await knownVulnerabilities(packages, {
    audit: async () =>
      JSON.parse(runNpm(['audit', '--omit=dev', '--json', '--fetch-retries=0', '--fetch-timeout=10000'])) as unknown,
    osvBatch: async (queries) => await askOsv('/querybatch', JSON.stringify({ queries })),
    osvEntry: async (id) => await askOsv(`/vulns/${id}`),
  });
  if ('unknown' in known) {
    console.log(`Known vulnerabilities: not checked, because nobody could be asked. ${known.unknown}`);
    return true;
  }
  const { by, findings } = known;
  const found = findings.length === 0 ? 'none of severity high or critical.' : 'update these packages:';
  console.log(`Known vulnerabilities of ${packages.length} packages, by ${by}: ${found}`);
  for (const line of findings) console.log(`  ${line}`);
  return findings.length === 0;
}

async function askOsv(path: string, body?: string): Promise<unknown> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const answer = await fetch(`${OSV}${path}`, body === undefined ? { signal } : { method: 'POST', body, signal });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return await answer.json();
}

function writeSbom(file: string): void {
  const all = JSON.parse(runNpm(['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only']));
  const sbom = runtimeSbom(all as Sbom, 'membership-event-bridge');
  writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
  console.log(`SBOM: ${sbom.components.length} packages, CycloneDX ${sbom.specVersion}, in ${file}`);
}

/** What npm prints, also where it ends with an error: a finding of its audit is one. */
function runNpm(args: readonly string[]): string {
  const { npm_execpath: npm } = process.env;
  const options = { cwd: PROJECT, encoding: 'utf8', timeout: 2 * TIMEOUT_MS, maxBuffer: 2 ** 26 } as const;
  const { stdout, stderr, error } =
    npm === undefined
      ? spawnSync('npm', args, { ...options, shell: true })
      : spawnSync(process.execPath, [npm, ...args], options);
  if (error !== undefined) throw error;
  if (stdout === '') throw new Error(stderr.trim().split('\n').at(-1) ?? 'npm printed nothing');
  return stdout;
}

process.exitCode = await main();
