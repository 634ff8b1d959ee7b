// I9: where the settings name the source's own organisation, nothing that names another is on the bus (S76).
import type { Book } from '../book.ts';
import type { Violation } from './violation.ts';

export function checkOwnAlone({ publications }: Pick<Book, 'publications'>, own: string | null): Violation[] {
  if (own === null) return [];
  const others = [...publications.values()].filter(({ text }) => NAMED.exec(text)?.[1] !== own);
  return others.length === 0
    ? []
    : [{ invariant: 'I9 own alone', what: `${others.length} entries of another organisation are on the bus` }];
}

const NAMED = /"(?:organisationId|orgId)":"([^"]+)"/;
