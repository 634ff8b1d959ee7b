// What a run remembers of the walk in progress: bounded, and gone with the run.
import type { IdentifiedEntry } from './entry-identity.ts';
import type { Witness } from '../source/state.ts';

/** Entries remembered as met, twice this at most (about 30 MB). A cycle of pages longer than that is not recognised. */
const MET_GENERATION = 100_000;
/** Stamps remembered for a cut. */
const MAX_STAMPS = 20_000;

export type Copies = { most: number; total: number };

/** Copies in a second by content; null where they stayed in doubt. */
export type SecondCounts = ReadonlyMap<string, number | null>;

export type WalkMemory = {
  /** Entries met, for barren pages. */
  met: MetSet;
  /** Copies of entries without an id, by content. */
  copies: Map<string, Copies>;
  /** Seconds that were read as windows of their own; null where that was refused, or took too many pages. */
  seconds: Map<number, SecondCounts | null>;
  /** Digests of the pages met. */
  pageDigests: Set<string>;
  /** Entries met with their stamps, to cut at and as witnesses. */
  witnesses: Witness[];
  /** Content of the last entry met. */
  lastSha256: string | null;
  pages: number;
  barren: number;
  /** The continuation at hand was refused once. */
  refusedOnce: boolean;
  /** All entries met name themselves, so that the walk can be resumed. */
  allNamed: boolean;
  /** The last page held entries that the ledger did not know. */
  broughtNew: boolean;
};

export function freshWalk(): WalkMemory {
  return {
    met: createMetSet(MET_GENERATION),
    copies: new Map(),
    seconds: new Map(),
    pageDigests: new Set(),
    witnesses: [],
    lastSha256: null,
    pages: 0,
    barren: 0,
    refusedOnce: false,
    allNamed: true,
    broughtNew: false,
  };
}

/** The entries that have a stamp. Of identical copies the first: other pages may show them one by one, and none as the second. */
export function toWitnesses(entries: readonly IdentifiedEntry[]): Witness[] {
  return entries.flatMap(({ id, stamp, ordinal }) =>
    stamp === null || ordinal > 0 ? [] : [{ id, at: stamp.instant }],
  );
}

/** Remembers a page: how many of its entries this walk had not met before. */
export function rememberPage(walk: WalkMemory, entries: readonly IdentifiedEntry[]): number {
  let fresh = 0;
  for (const { id, hasId } of entries) {
    if (walk.met.add(id)) fresh += 1;
    if (!hasId) walk.allNamed = false;
  }
  for (const witness of toWitnesses(entries)) if (walk.witnesses.length < MAX_STAMPS) walk.witnesses.push(witness);
  walk.pages += 1;
  walk.barren = fresh === 0 ? walk.barren + 1 : 0;
  walk.lastSha256 = entries.at(-1)?.sha256 ?? walk.lastSha256;
  return fresh;
}

/** Stamps that the median is taken of. */
const MEDIAN_SAMPLE = 201;

/** The entries on both sides of the median stamp of a sample of those met, evenly spread, in the order in which they came; one where all share a stamp. */
export function middleOf({ witnesses }: Pick<WalkMemory, 'witnesses'>): Witness[] {
  const every = Math.ceil(witnesses.length / MEDIAN_SAMPLE);
  const sample = witnesses.filter((_, index) => index % every === 0);
  const byTime = sample.toSorted((a, b) => a.at - b.at);
  const median = byTime[Math.floor(byTime.length / 2)];
  if (median === undefined) return [];
  const other = byTime.find(({ at }) => at > median.at) ?? byTime.findLast(({ at }) => at < median.at);
  return sample.filter((witness) => witness === median || witness === other);
}

export type MetSet = {
  /** Adds an id; true where it was not in the set. */
  add(id: string): boolean;
};

/** A set that forgets the older half of what it holds when it is full. */
export function createMetSet(generation: number): MetSet {
  let older = new Set<string>();
  let newer = new Set<string>();
  return {
    add(id) {
      if (newer.has(id)) return false;
      const isNew = !older.has(id);
      newer.add(id);
      if (newer.size >= generation) [older, newer] = [newer, new Set()];
      return isNew;
    },
  };
}
