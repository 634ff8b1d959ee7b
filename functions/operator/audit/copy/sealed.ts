// The index of sealed entries: what must be in the copy according to the manifests, and what was found.
import type { ManifestRecord } from '../../../audit/manifest.ts';

/** An entry of a manifest. */
export type SealedEntry = {
  id: string;
  sha256: string;
  day: string;
  /** Key of the first manifest that names it. */
  manifest: string;
  /** Every manifest that names it marks it as quarantined. */
  quarantined: boolean;
  /** A line of the copy has the sealed content. */
  inCopy: boolean;
  /** A line of the copy has the id with another content. */
  alteredInCopy: boolean;
};

/** Needs about 300 bytes of memory per entry. */
export type Sealed = {
  add(records: readonly ManifestRecord[], manifest: { key: string; day: string }): void;
  /** Every sealed content of an id: more than one only if the service gave the id to several entries. */
  withId(id: string): readonly SealedEntry[];
  entries(): Iterable<SealedEntry>;
  /** The number of distinct entries. */
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
        // An amendment may publish an entry that was quarantined.
        if (same) same.quarantined &&= quarantined;
        else {
          const entry = { id, sha256, day, manifest: key, quarantined, inCopy: false, alteredInCopy: false };
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
