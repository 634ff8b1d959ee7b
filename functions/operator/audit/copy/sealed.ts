// What the manifests say must be in the copy, and what of it has been met there.
import type { ManifestRecord } from '../../../audit/manifest.ts';

/** An entry that a manifest names. */
export type SealedEntry = {
  id: string;
  sha256: string;
  day: string;
  /** Key of the manifest that names it first. */
  manifest: string;
  /** By every manifest that names it: it is not on the bus. */
  quarantined: boolean;
  /** A line of the copy has it, as it was sealed. */
  met: boolean;
  /** A line of the copy has its id with another content. */
  metAltered: boolean;
};

/** About 300 bytes of memory for each entry that a manifest names. */
export type Sealed = {
  add(records: readonly ManifestRecord[], manifest: { key: string; day: string }): void;
  /** Every content under which the id was sealed: one, but for an id that the service gave to two entries. */
  withId(id: string): readonly SealedEntry[];
  entries(): Iterable<SealedEntry>;
  /** Distinct entries. */
  count(): number;
};

export function createSealed(): Sealed {
  const byId = new Map<string, SealedEntry | SealedEntry[]>();
  const withId = (id: string): readonly SealedEntry[] => {
    const found = byId.get(id);
    if (found === undefined) return [];
    return Array.isArray(found) ? found : [found];
  };
  let count = 0;
  return {
    withId,
    count: () => count,
    add(records, { key, day }) {
      for (const { id, sha256, quarantined } of records) {
        const known = withId(id);
        const same = known.find((entry) => entry.sha256 === sha256);
        // An amendment may say of a quarantined entry that it is on the bus now.
        if (same) same.quarantined &&= quarantined;
        else {
          const entry = { id, sha256, day, manifest: key, quarantined, met: false, metAltered: false };
          byId.set(id, known.length === 0 ? entry : [...known, entry]);
          count += 1;
        }
      }
    },
    *entries() {
      for (const found of byId.values()) yield* Array.isArray(found) ? found : [found];
    },
  };
}
