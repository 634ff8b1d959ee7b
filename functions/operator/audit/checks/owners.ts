// Names the entry whose content an altered line has, for example if two lines were swapped.
import type { Finding } from '../findings.ts';
import type { Sealed } from '../copy/sealed.ts';

/** Returns the findings; those whose content belongs to another sealed entry name its id. */
export function withOwners(findings: readonly Finding[], sealed: Sealed): Finding[] {
  const wanted = new Set(findings.map(({ content }) => content));
  const owners = new Map<string, string>();
  for (const { sha256, id } of sealed.entries()) if (wanted.has(sha256)) owners.set(sha256, id);
  return findings.map((found) => {
    const owner = owners.get(found.content ?? '');
    return owner === undefined || owner === found.name
      ? found
      : { ...found, how: `${found.how}; the content is that of ${owner}` };
  });
}
