// Whose content an altered line has: where two were exchanged, each is told to have the other's.
import type { Finding } from '../findings.ts';
import type { Sealed } from '../copy/sealed.ts';

/** The findings, those of lines with the content of another sealed entry with that entry's id. */
export function withOwners(findings: readonly Finding[], sealed: Sealed): Finding[] {
  const wanted = new Set(findings.map(({ content }) => content));
  const owners = new Map<string, string>();
  for (const { sha256, id } of sealed.entries()) if (wanted.has(sha256)) owners.set(sha256, id);
  return findings.map((found) => {
    const owner = owners.get(found.content ?? '');
    return owner === undefined || owner === found.name ? found : { ...found, how: `${found.how}: those of ${owner}` };
  });
}
