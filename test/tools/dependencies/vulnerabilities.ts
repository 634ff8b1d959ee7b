// Known vulnerabilities of packages: npm's audit first, and OSV where the registry has none.
import type { Package } from './licences.ts';

/** Each answers with what it received, or rejects where it cannot be reached. */
export type Advisers = {
  audit: () => Promise<unknown>;
  osvBatch: (queries: readonly object[]) => Promise<unknown>;
  osvEntry: (id: string) => Promise<unknown>;
};

/** Who was asked, and a line for each finding of severity high or critical; or why nobody answered. */
export type Known = { by: string; findings: string[] } | { unknown: string };

const SERIOUS = ['high', 'critical'];

/** An answer that is none, such as that of a proxy, counts as not reached: it never says that there is nothing. */
export async function knownVulnerabilities(packages: readonly Package[], advisers: Advisers): Promise<Known> {
  const reasons: string[] = [];
  for (const [by, ask] of [
    ['npm audit', async () => auditFindings(await advisers.audit())],
    ['OSV', async () => await osvFindings(packages, advisers)],
  ] as const) {
    try {
      return { by, findings: await ask() };
    } catch (error) {
      reasons.push(`${by}: ${reasonOf(error)}`);
    }
  }
  return { unknown: reasons.join('; ') };
}

type Audit = {
  auditReportVersion?: number;
  message?: string;
  vulnerabilities?: Readonly<
    Record<string, { via: readonly (string | { title: string; url: string; severity: string })[] }>
  >;
};

/** Of `npm audit --json`. Throws where it is no report. */
function auditFindings(answer: unknown): string[] {
  const { auditReportVersion, vulnerabilities, message } = answer as Audit;
  if (auditReportVersion !== 2 || vulnerabilities === undefined) throw new Error(message ?? 'no report');
  return Object.entries(vulnerabilities).flatMap(([name, { via }]) =>
    via.flatMap((cause) =>
      typeof cause !== 'string' && SERIOUS.includes(cause.severity)
        ? [`${name}: ${cause.title} (${cause.severity}) ${cause.url}`]
        : [],
    ),
  );
}

type Batch = { results?: readonly { vulns?: readonly { id: string }[] }[] };

async function osvFindings(packages: readonly Package[], { osvBatch, osvEntry }: Advisers): Promise<string[]> {
  const queries = packages.map(({ name, version }) => ({ package: { name, ecosystem: 'npm' }, version }));
  const { results = [] } = (await osvBatch(queries)) as Batch;
  if (results.length !== packages.length) throw new Error('no list of results');
  const found = results.flatMap(({ vulns = [] }, index) => vulns.map(({ id }) => ({ id, index })));
  const lines = found.map(async ({ id, index }) => {
    const severity = severityOf(await osvEntry(id));
    return SERIOUS.includes(severity)
      ? [`${packages[index]?.name} ${packages[index]?.version}: ${id} (${severity}) https://osv.dev/${id}`]
      : [];
  });
  return (await Promise.all(lines)).flat();
}

/** Of an entry of OSV. One that names none, such as a package found to be malicious, counts as critical. */
function severityOf(entry: unknown): string {
  const { database_specific: { severity = 'critical' } = {} } = entry as { database_specific?: { severity?: string } };
  return severity.toLowerCase();
}

/** In one line. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return `${message}${cause instanceof Error ? ` (${cause.message})` : ''}`.replaceAll(/\s+/g, ' ');
}
